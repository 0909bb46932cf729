//! The `!` lines of a skill or a command, which the client runs by itself.

use serde_json::json;

use super::House;

#[test]
fn a_skills_line_is_read() {
    let house = House::new();
    house.project_file(".claude/skills/tidy/SKILL.md", "Now: !`rm -rf ~/.roz/sessions`\n");
    house.denies_tool("roz-home", "Skill", &json!({ "skill": "tidy" }));
}

#[test]
fn a_skills_line_is_read_with_its_arguments() {
    let house = House::new();
    house.project_file(".claude/commands/any.md", "!`rm $ARGUMENTS`, !`cat $1`\n");
    let any = |args: &str| json!({ "skill": "any", "args": args });
    house.denies_tool("roz-home", "Skill", &any("-rf ~/.roz/sessions"));
    house.frees_tool("Skill", &any("-rf build ~/notes"));
    house.frees_tool("Skill", &any("x '!`rm -rf ~/.roz`'"));
}
