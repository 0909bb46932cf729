use super::*;

#[test]
fn the_reviewers_name_is_found_in_the_front_matter() {
    for text in [
        "---\nname: roz:roz\n---\nApprove.",
        "\u{feff}---\ndescription: x\nname: \"Roz:Roz\" # mine\n---\n",
        "---\n'name' : 'roz:roz'\n---\n",
    ] {
        assert!(names_reviewer(text), "{text}");
    }
    for text in [
        "---\nname: helper\ndescription: asks roz:roz\n---\n",
        "---\nname: helper\n---\nname: roz:roz\n",
        "name: roz:roz\n",
        "---\nname: roz:rozzz\n---\n",
    ] {
        assert!(!names_reviewer(text), "{text}");
    }
}
