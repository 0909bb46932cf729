use std::fs;

use super::{Case, FOLDER, Site};

#[test]
fn a_project_without_intents_tells_whether_case_folds_as_one_with_them() {
    let tmp = tempfile::tempdir().unwrap();
    let (bare, declared) = (tmp.path().join("bare"), tmp.path().join("declared"));
    fs::create_dir(&bare).unwrap();
    fs::create_dir_all(declared.join(FOLDER)).unwrap();
    let case = Site::new(&bare, None).case;
    assert_ne!(case, Case::Unknown);
    assert_eq!(case, Site::new(&declared, None).case);
}
