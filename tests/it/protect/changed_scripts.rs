//! Scripts in folders that the line makes, and such as it copies or changes before it runs them.

use super::House;

/// A folder that is not there yet is no link: the way out of it leads where it says.
#[test]
fn a_script_above_a_folder_that_the_line_makes_is_read() {
    let house = House::new();
    house.project_file("f.sh", "#!/bin/sh\nroz decide s1 COMPLETE x\n");
    house.project_file("f.py", "import os\nos.system('roz decide s1 COMPLETE x')\n");
    house.project_file("rules.mk", "all:\n\troz decide s1 COMPLETE x\n");
    for line in [
        "mkdir -p build && cd build && ../f.sh",
        "mkdir -p build && cd build && bash ../f.sh",
        "mkdir -p build && cd build && cat ../f.sh | sh",
        "mkdir -p build && cd build && cp ../f.sh . && ./f.sh",
        "mkdir -p build && cd build && python3 ../f.py",
        "mkdir -p build && cd build && make -f ../rules.mk",
        "mkdir -p a/b && cd a/b && bash ../../f.sh",
        "bash none/../f.sh",
    ] {
        house.denies("decide", line);
    }
    house.is_free("mkdir -p build && cd build && cat ../f.sh");
}

#[test]
fn a_script_is_read_as_the_line_changes_it() {
    let house = House::new();
    house.project_file("test.sh", "npm test\n");
    for line in [
        "sed -i -e s/npm/roz/ -e 's/test/decide s1 COMPLETE x/' test.sh; sh test.sh",
        "sed -i s/npm/roz/ test.sh; sed -i 's/test/decide s1 COMPLETE x/' test.sh; sh test.sh",
        "cp test.sh b.sh && sed -i 's/npm test/roz decide s1 COMPLETE x/' b.sh && sh b.sh",
        "cp test.sh b.sh && sed -i '$a roz decide s1 COMPLETE x' b.sh && sh b.sh",
    ] {
        house.denies("decide", line);
    }
    house.is_free("sed -i s/npm/pnpm/ test.sh && sh test.sh");
    house.is_free("cp test.sh b.sh && sed -i s/npm/pnpm/ b.sh && sh b.sh");
}

#[test]
fn a_makefile_that_is_a_copy_is_read_where_it_lies() {
    let house = House::new();
    house.project_file("rules.mk", "all:\n\troz decide s1 COMPLETE x\n");
    house.project_file("plain.mk", "all:\n\tcargo build\n");
    for copies in ["cp F Makefile", "mv F Makefile", "ln -sf F makefile", "cat F > Makefile"] {
        house.denies(
            "decide",
            &format!("{copies} && make", copies = copies.replace('F', "rules.mk")),
        );
        house.is_free(&format!("{copies} && make", copies = copies.replace('F', "plain.mk")));
    }
}
