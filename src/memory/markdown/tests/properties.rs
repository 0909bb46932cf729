//! What holds for any learning.

use proptest::prelude::*;

use super::*;
use crate::{
    core::reflection::retrieval::{Filters, Query},
    memory::contract::{any_learning, text},
};

/// Ten thousand learnings, a few a file: each write reads what is there.
const FILES: u32 = 400;
const A_FILE: usize = 25;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(FILES) })]

    #[test]
    fn ten_thousand_learnings_come_back_byte_for_byte(
        mut learnings in prop::collection::vec(any_learning(), A_FILE),
        at in 0..A_FILE,
    ) {
        let scene = Scene::new();
        for (n, learning) in learnings.iter_mut().enumerate() {
            learning.id = learning.make_id(u32::try_from(n).unwrap());
            learning.tags.push(own_word(n));
            scene.backend.write(learning).unwrap();
        }
        learnings.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        prop_assert_eq!(&scene.learnings(), &learnings);

        // One is archived and restored; no other byte moves.
        let before = scene.text();
        let id = learnings[at].id.clone();
        let status = learnings[at].status;
        let other = if status == Status::Archived { Status::Active } else { Status::Archived };
        scene.backend.mark(&id, other).unwrap();
        let after = scene.text();
        let changed = differences(&before, &after);
        prop_assert_eq!(changed.len(), 1);
        let is = format!("- **Status:** {other} ^");
        prop_assert!(changed[0].1.starts_with(&is));
        scene.backend.mark(&id, status).unwrap();
        prop_assert_eq!(scene.text(), before);

        // By a word of its own, for hostile text need not hold any: it and no
        // other one, as it was written.
        let query = Query { text: learnings[at].tags.last().cloned().unwrap_or_default(), ..Query::default() };
        let filters = Filters { statuses: Vec::new(), max_results: A_FILE, ..Filters::default() };
        let found = scene.backend.search(&query, &filters).unwrap();
        prop_assert_eq!(found.iter().map(|found| &*found.id).collect::<Vec<_>>(), [&*id]);
        let read = scene.learnings();
        prop_assert_eq!(read.iter().find(|learning| learning.id == found[0].id), Some(&learnings[at]));
    }
}

/// Of letters alone, which no stem and no part joins with another's.
fn own_word(n: usize) -> String {
    let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap());
    format!("zqx{}{}vk", letter(n / 26), letter(n))
}

proptest! {
    #[test]
    fn what_is_escaped_is_one_line_and_comes_back(text in text()) {
        for also in [None, Some(',')] {
            let escaped = format::escaped(&text, also);
            prop_assert!(!escaped.contains(['\n', '\r', '\0']));
            prop_assert!(also.is_none_or(|also| !escaped.contains(also)));
            prop_assert_eq!(format::unescaped(&escaped), text.clone());
        }
    }

    #[test]
    fn no_file_is_too_odd(bytes: Vec<u8>, pieces in prop::collection::vec(text(), 0..6)) {
        let scene = Scene::with(&bytes);
        scene.backend.all().unwrap();
        scene.backend.write(&learning(0)).unwrap();
        let (ids, _) = scene.told();
        prop_assert!(ids.contains(&learning(0).id));
        prop_assert!(fs::read(&scene.backend.file.path).unwrap().starts_with(&bytes));
        let text = pieces.concat();
        let scene = Scene::with(&text);
        scene.backend.write(&learning(0)).unwrap();
        let before = fs::read(&scene.backend.file.path).unwrap();
        prop_assert!(before.starts_with(text.as_bytes()));
        scene.backend.mark(&learning(0).id, Status::Archived).unwrap();
        scene.backend.mark(&learning(0).id, Status::Active).unwrap();
        prop_assert_eq!(fs::read(&scene.backend.file.path).unwrap(), before);
    }

    #[test]
    fn a_file_cut_anywhere_loses_only_what_was_cut(at in 0.0..1.0) {
        let scene = Scene::new();
        (0..4).for_each(|n| scene.backend.write(&learning(n)).unwrap());
        let whole = fs::read(&scene.backend.file.path).unwrap();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a place in a file")]
        let at = (whole.len() as f64 * at) as usize;
        fs::write(&scene.backend.file.path, &whole[..at]).unwrap();
        let kept: Vec<_> = scene.backend.all().unwrap().learnings;
        prop_assert_eq!(&kept[..], &(0..kept.len()).map(learning).collect::<Vec<_>>()[..]);
        // What comes next is whole again.
        scene.backend.write(&learning(9)).unwrap();
        let reading = scene.backend.all().unwrap();
        prop_assert_eq!(reading.learnings.len(), kept.len() + 1);
        prop_assert!(fs::read(&scene.backend.file.path).unwrap().starts_with(&whole[..at]));
    }
}
