//! What developers call by other words: who reports that a line *vanished* may
//! be helped by what is known of lines that *disappear*.
//!
//! Written down by area, from what such work is about anywhere; by somebody who
//! had seen the queries that retrieval is tuned on, and no result of those that
//! are held out. A related word is worth a part of the word that
//! was used (see `rank`).

/// For each of `keys` the stems that mean about the same: the place of the key,
/// and the stem.
pub(super) fn related(keys: &[&str]) -> Vec<(usize, &'static str)> {
    let mut places: Vec<(&str, usize)> = keys.iter().copied().zip(0..).collect();
    places.sort_unstable();
    let mut found = Vec::new();
    for group in GROUPS.lines() {
        for word in group.split(' ') {
            let Ok(at) = places.binary_search_by(|(key, _)| (*key).cmp(word)) else { continue };
            let Some((_, place)) = places.get(at) else { continue };
            let others = group.split(' ').filter(|it| *it != word);
            found.extend(others.map(|it| (*place, it)));
        }
    }
    found
}

/// Stems, a group a line. One text, so that a process that does not search
/// pays nothing for it.
static GROUPS: &str = "\
crash abort die termin kill panic segfault
hang frozen stuck stall unrespons deadlock
slow latenc perform speed fast sluggish
lag delay late behind
disappear vanish gone miss lose
fail failur error except
duplic twice doubl repeat
restart reboot reset
delet remov eras purg destroy
save store persist
stale outdat expir old
wrong incorrect invalid
larg big huge size bloat exceed
flaki sporad intermitt random nondeterminist
upgrad updat bump migrat
revert rollback undo
wait pend queue
retri backoff resend
timeout deadlin expiri
limit quota throttl rate
parallel concurr simultan race
lock mutex deadlock
atom transact
schedul cron timer night daili
background async worker job
memori ram heap oom
leak grow memori
disk storag space
network connect
offlin airplan network
bluetooth ble gatt characterist
pair bond bluetooth
wifi wireless
radio antenna transmit airtim
batteri power energi drain consumpt
sleep idl standbi suspend
sensor measur sampl read
temperatur heat cold thermal
interrupt callback handler
gpio pin
flash eeprom wear
firmwar ota imag
boot bootload
startup launch open start
devic hardwar board
clock rtc time timestamp
timezon utc zone daylight
currenc money amount exchang
cost budget expens bill spend
invoic bill receipt
payment charg pay captur
refund return chargeback
tax vat
discount voucher coupon campaign promot
cart basket
checkout order purchas
stock inventori avail
login signin auth session
logout session
token jwt credenti
secret password key credenti
permiss access role deni forbidden
secur vulner cve attack
privaci person gdpr pii
consent gdpr privaci
encrypt tls ssl certif https
email mail smtp
notif push
alert alarm pager page
webhook event callback
kafka broker consum topic
stream event messag
api endpoint rest
search queri find lookup
filter facet
pagin cursor offset
imag pictur photo thumbnail
upload attach
export feed
encod charset unicod utf emoji umlaut
languag translat local i18n plural
text string word copi
style theme dark color
chart graph plot
scroll stutter jank
map tile
locat gps posit coordin
rout navig
track record
elev altitud ascent climb
distanc mile metr
io iphon ipad appl
android pixel samsung xiaomi
mac maco darwin
arm arm64 aarch64
x86 amd64
simul emul
store submiss review
subscript plan trial premium year purchas
releas rollout deploy ship
build compil
compil toolchain gcc
linker link symbol
debugg gdb lldb breakpoint
debug diagnos
log trace
metric monitor prometheus
dashboard report bi
ci pipelin runner workflow
mock fake stub
fixtur factori
format formatt fmt
document readm guid
pull merg review
depend librari packag crate
config set option
flag toggl
env stage product
contain docker podman
k8s pod cluster
node instanc machin worker
upgrad version releas
frontend browser ui
browser safari chrome firefox
url link deeplink redirect
dns domain hostnam
subnet cidr vpc
ingress proxi gateway
cdn edg cach
bucket s3 blob object
db sql pg tabl
migrat schema column
column field attribut
null none empti
round precis cent
overflow wrap
pars parser syntax grammar
macro expans
infer generic type
borrow lifetim refer alia
optimis optim
constant const
pattern match exhaust
loop infinit endless cycl
recurs nest deep
struct record
error diagnost warn
editor ide vscode lsp
complet autocomplet
partit shard
skew salt
aggreg sum total
distinct uniqu duplic
backfil recomput histori
increment rebuild
fresh stale yesterday
train label model
score predict
spark executor shuffl
airflow dag
warehous snowflak bigqueri
autoscal scale
evict drain cordon
role polici iam
backup restor snapshot
replica replic standbi
incid outag down
partner vendor supplier
crm salesforc
erp account financ
ship deliveri carrier parcel
address street
meter puls
modem cellular lte
workout fit health
sync conflict
share public
reproduc determinist nondeterminist ident
hash fingerprint checksum
clean cach rebuild
unsaf sound
featur flag gate unstabl
keep retain preserv
renam refactor
compar diff
wide width
counter count
drift accuraci
nois jump spike
provis enrol
gdpr delet eras
user custom account";
