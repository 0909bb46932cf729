//! The verbs of npm, which takes any part of one that begins no other.
//!
//! Source: `npm help` and `npm VERB --help` of npm 11.

/// Its verbs, as `npm help` lists them.
const VERBS: &str = "access adduser approve-scripts audit bugs cache ci completion config dedupe \
    deny-scripts deprecate diff dist-tag docs doctor edit exec explain explore find-dupes fund get \
    help help-search init install install-ci-test install-scripts install-test link ll login \
    logout ls org outdated owner pack ping pkg prefix profile prune publish query rebuild repo \
    restart root run sbom search set shrinkwrap stage star stars start stop team test token trust \
    undeprecate uninstall unpublish unstar update version view whoami";

/// Other names, each with its verb.
const ALIASES: &str = "add=install add-user=adduser author=owner c=config cit=install-ci-test \
    clean-install=ci clean-install-test=install-ci-test create=init ddp=dedupe dist-tags=dist-tag \
    find=search hlep=help home=docs i=install ic=ci in=install info=view innit=init ins=install \
    inst=install insta=install instal=install install-clean=ci isnt=install isnta=install \
    isntal=install isntall=install isntall-clean=ci issues=bugs it=install-test la=ll list=ls \
    ln=link ogr=org r=uninstall rb=rebuild remove=uninstall rm=uninstall rum=run run-script=run \
    s=search se=search show=view sit=install-ci-test t=test tst=test u=update udpate=update \
    un=uninstall unlink=uninstall up=update upgrade=update urn=run v=view verison=version \
    why=explain x=exec";

/// The verb that npm takes a word for that is none itself: an alias, or the beginning of one verb only.
pub(in crate::shell) fn verb(word: &str) -> Option<&'static str> {
    let verbs = || VERBS.split_ascii_whitespace();
    if word.is_empty() || verbs().any(|verb| verb == word) {
        return None;
    }
    let aliases = || ALIASES.split_ascii_whitespace().filter_map(|alias| alias.split_once('='));
    let alias = |word: &str| aliases().find(|(name, _)| *name == word).map(|(_, verb)| verb);
    alias(word).or_else(|| {
        let mut begun =
            verbs().chain(aliases().map(|(name, _)| name)).filter(|name| name.starts_with(word));
        let only = begun.next().filter(|_| begun.next().is_none())?;
        alias(only).or(Some(only))
    })
}
