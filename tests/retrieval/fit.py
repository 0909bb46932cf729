"""Fits the models of src/core/reflection/retrieval/likelihood.rs.

    roz eval --traits > traits.json
    python3 tests/retrieval/fit.py traits.json

It prints how well the models do on projects, and on authors, that they were not
fitted to, and then the constants, fitted to all projects of `dev`, and how these do on
those that have been seen. What is held out it does not look at. What is shown is
decided as in choose.rs. Needs numpy; there is no chance in it.

Each model is a logistic regression with a ridge, on numbers of mean 0 and
deviation 1. A learning that must come back weighs as much as it adds to recall,
one that may a tenth of that in the first model (it ranks), others one half. The
candidates are those that share something with the query. `first` learns from the
one that ranks first for each query, `beside` from the next five, whatever the
first model makes of them; `clauses` from those five where a query has several
clauses, and adds to what `beside` says. Those of the user that are for an activity
that a query asks for are too few to learn from: they have odds of their own (`OWN`),
and the models do not see them.
"""

import json
import sys

import numpy as np

RIDGE = 20.0
MAY, NEVER = 0.1, 0.5
NO_NEXT = -5.0
# As in likelihood.rs: those of which the logarithm is taken.
LOGARITHMS = np.array([False, True, True, False, True, True, True, True, False])
ACTIVITY = 7
# As in choose.rs.
FIRST, BESIDE = 0.425, 0.25
LONG, LONG_BESIDE = 4.0, 0.5
MOST_BESIDE, MOST_SHOWN, EQUAL = 10, 5, 0.01
# As in likelihood.rs.
OWN = 2.0
OTHER_AUTHOR = ("clinic", "daw", "game")


class Logistic:
    """Weights of raw numbers, the constant first; they add to `known` log odds."""

    def __init__(self, rows, labels, weights, known=0.0):
        x, y, w = np.array(rows), np.array(labels, float), np.array(weights)
        mean, deviation = x.mean(0), x.std(0)
        deviation[deviation == 0] = 1
        x = np.hstack([np.ones((len(x), 1)), (x - mean) / deviation])
        ridge = np.full(x.shape[1], RIDGE)
        ridge[0] = 0
        b = np.zeros(x.shape[1])
        for _ in range(60):
            p = 1 / (1 + np.exp(-known - x @ b))
            slope = x.T @ (w * (p - y)) + ridge * b
            b -= np.linalg.solve((x * (w * p * (1 - p))[:, None]).T @ x + np.diag(ridge), slope)
        scaled = b[1:] / deviation
        self.weights = np.concatenate([[b[0] - scaled @ mean], scaled])

    def __call__(self, rows):
        return self.weights[0] + np.array(rows) @ self.weights[1:]


class Query:
    def __init__(self, project, raw):
        self.project, self.name = project, raw["id"].rsplit("-", 1)[0]
        self.relevant, self.also = raw["relevant"], raw["also"]
        found = {id: np.array(it) for id, it in raw["learnings"].items()}
        is_own = lambda id: project["is_personal"][id] and found[id][ACTIVITY] > 0
        self.own = [id for id in found if is_own(id)]
        found = {id: it for id, it in found.items() if id not in self.own and (it[0] > 0.05 or it[1] > 0.1)}
        self.ids, self.scores = list(found), {id: it[0] for id, it in found.items()}
        logs = lambda it: np.where(LOGARITHMS, np.log1p(it), it)
        self.traits = [logs(found[id]) for id in self.ids]
        none = lambda id: np.array([0.0] * 8 + [project["is_personal"][id]])
        of_clause = lambda it: [logs(np.array(it.get(id, none(id)))) for id in self.ids]
        self.clauses = [of_clause(it) for it in raw["clauses"]]
        self.long = np.log(max(1, raw["length"] / LONG))

    def label(self, id):
        return 2 if id in self.relevant else 1 if id in self.also else 0

    def weight(self, id, may):
        return [NEVER, may, 1 / max(1, len(self.relevant))][self.label(id)]

    def ahead(self, model, among):
        """As clauses.rs: how far each of those is ahead of the first in that clause where it is most."""
        leads = np.zeros(len(among))
        for traits in self.clauses if len(among) > 1 else []:
            alone = dict(zip(self.ids, model(traits)))
            odds = np.array([alone[id] for id in among])
            leads = np.maximum(leads, odds - odds[0])
        return dict(zip(among, leads / (1 + np.log(max(1, len(self.clauses))))))

    def ranked(self, model):
        """The first, what `first` asks of it, and what `beside` and `clauses` ask of the others."""
        if not self.ids:
            return None
        alone = dict(zip(self.ids, model(self.traits)))
        order = sorted(self.ids, key=lambda id: (-alone[id], id))
        best, rest = order[0], order[1:MOST_BESIDE + 1]
        behind = [alone[id] for id in order[1:] if alone[best] - alone[id] > EQUAL]
        lead = alone[best] - (behind[0] if behind else NO_NEXT)
        kin = self.project["kin"][best]
        share = lambda id: self.scores[id] / max(0.05, self.scores[best])
        about = lambda id: [alone[id], alone[best] - alone[id], np.log1p(kin[id]), share(id)]
        ahead = self.ahead(model, [best] + rest)
        return best, [alone[best], lead], [(id, about(id), [ahead[id]]) for id in rest]


class Models:
    def __init__(self, queries):
        all = [(q, id, it) for q in queries for id, it in zip(q.ids, q.traits)]
        self.alone = Logistic(
            [it for _, _, it in all],
            [q.label(id) > 0 for q, id, _ in all],
            [q.weight(id, MAY) for q, id, _ in all],
        )
        ranked = [(q, it) for q in queries if (it := q.ranked(self.alone))]
        self.first = Logistic(
            [it[1] for _, it in ranked], [q.label(it[0]) > 0 for q, it in ranked], [1.0] * len(ranked)
        )
        rest = [(q, *it) for q, (_, _, rest) in ranked for it in rest[:5]]
        self.beside = self.fitted([about for _, _, about, _ in rest], rest)
        rest = [it for it in rest if it[0].clauses]
        known = self.beside([about for _, _, about, _ in rest])
        self.clauses = self.fitted([ahead for *_, ahead in rest], rest, known)

    def fitted(self, rows, rest, known=0.0):
        labels = [q.label(id) > 0 for q, id, *_ in rest]
        return Logistic(rows, labels, [q.weight(id, MAY) for q, id, *_ in rest], known)

    def answer(self, query):
        """What is likely, by log odds: the first, and what may stand beside it; and of the user's own."""
        own = [(OWN, id) for id in query.own]
        it = query.ranked(self.alone)
        if not it:
            return [], own
        best, about, rest = it
        of_clauses = lambda ahead: self.clauses([ahead])[0] if query.clauses else 0.0
        beside = lambda about, ahead: self.beside([about])[0] + of_clauses(ahead) - LONG_BESIDE * query.long
        return [(self.first([about])[0], best)] + [(beside(*it), id) for id, *it in rest], own


def figures(answers, first=FIRST, beside=BESIDE):
    recall, shown, noise = [], 0, 0
    first, beside = (np.log(it / (1 - it)) for it in (first, beside))
    for query, (likely, own) in answers:
        own = [id for p, id in sorted(own, reverse=True) if p >= first]
        is_any = likely and likely[0][0] >= first
        ids = [id for at, (p, id) in enumerate(likely) if at == 0 or p >= beside] if is_any else []
        ids = own + ids[:MOST_SHOWN - len(own)]
        shown += len(ids)
        noise += sum(query.label(id) == 0 for id in ids)
        if query.relevant:
            recall.append(sum(query.label(id) == 2 for id in ids) / min(5, len(query.relevant)))
    return np.mean(recall), noise / max(1, shown)


def best_at(answers, noise):
    """The recall that can be had below a noise, and by which thresholds."""
    grid = np.arange(0.2, 0.91, 0.025)
    all = [(*figures(answers, a, b), a, b) for a in grid for b in grid]
    return max((it for it in all if it[1] < noise), default=(0, 0, 0, 0))


def main():
    queries, seen = [], []
    for project in json.load(open(sys.argv[1])):
        ids, personal = project["ids"], project["personal"]
        project["is_personal"] = dict(zip(ids, personal))
        rows = [[0 if own else it for own, it in zip(personal, row)] for row in project["kinship"]]
        project["kin"] = {id: dict(zip(ids, row)) for id, row in zip(ids, rows)}
        part = {"dev": queries, "seen": seen}.get(project["part"], [])
        part += [Query(project, raw) for raw in project["queries"]]
    names = sorted({q.name for q in queries})
    authors = [[n for n in names if (n in OTHER_AUTHOR) == is_other] for is_other in (False, True)]

    def left_out(parts, among=queries):
        answers = []
        for part in parts:
            models = Models([q for q in among if q.name not in part])
            answers += [(q, models.answer(q)) for q in among if q.name in part]
        return answers

    def moved(answers, first, beside):
        """As if these were the thresholds."""
        by = [np.log(of / (1 - of)) - np.log(it / (1 - it)) for of, it in ((FIRST, first), (BESIDE, beside))]
        likely_as = lambda likely: [(it + by[at > 0], id) for at, (it, id) in enumerate(likely)]
        own_as = lambda own: [(it + by[0], id) for it, id in own]
        return [(q, (likely_as(likely), own_as(own))) for q, (likely, own) in answers]

    def report(title, answers):
        print(f"{title}: recall %.3f, noise %.3f;" % figures(answers), end=" ")
        print("at a noise of 0.15 %.3f (thresholds %.3f %.3f)" % (lambda b: (b[0], *b[2:]))(best_at(answers, 0.15)))

    of = lambda answers, names: [it for it in answers if it[0].name in names]
    one = left_out([[it] for it in names])
    report("one project left out", one)
    for author in authors:
        report("  " + " ".join(author), of(one, author))
    for author in authors:
        report("left out: " + " ".join(author), left_out([author]))
    chosen = []
    for name in names:
        others = [q for q in queries if q.name != name]
        *_, first, beside = best_at(left_out([[it] for it in names if it != name], others), 0.15)
        chosen += moved(of(one, [name]), first, beside)
    print("and its thresholds chosen without it: recall %.3f, noise %.3f" % figures(chosen))
    models = Models(queries)
    report("fitted to all", [(q, models.answer(q)) for q in queries])
    helps = [q.label(id) > 0 for q in queries + seen for id in q.own]
    print("own: %d, of which %d help" % (len(helps), sum(helps)))
    if seen:
        print("seen: recall %.3f, noise %.3f" % figures([(q, models.answer(q)) for q in seen]))
    for name in ("alone", "first", "beside", "clauses"):
        weights = getattr(models, name).weights
        print(f"const {name.upper()}: [f32; {len(weights)}] = [{', '.join(f'{it:.4f}' for it in weights)}];")


if __name__ == "__main__":
    main()
