import csv, re, sqlite3, sys, unicodedata

REF = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._/\-]{0,49}")
ACCOUNT = re.compile(r"[A-Za-z0-9]{5,34}")
IFSC = re.compile(r"[A-Z]{4}0[A-Z0-9]{6}")
AMOUNT = re.compile(r"([0-9]{1,13})(?:\.([0-9]{1,2}))?")
BULK = {"pb1", "pb3"}


def judge(line, row, seen):
    ref, name, account, ifsc, amount, remarks, debit, kind, sub = row
    if not REF.fullmatch(ref):
        raise ValueError(f"row {line}: reference {ref!r}")
    key = unicodedata.normalize("NFKC", ref).casefold()
    if key in seen:
        raise ValueError(f"row {line}: reference {ref!r} is listed twice")
    seen.add(key)
    for text in (name, remarks):
        if not text.isprintable() or len(text) > 140:
            raise ValueError(f"row {line}: {text!r}")
    if not name.strip() or unicodedata.normalize("NFC", name) != name:
        raise ValueError(f"row {line}: name {name!r}")
    if not ACCOUNT.fullmatch(account):
        raise ValueError(f"row {line}: account number")
    if not IFSC.fullmatch(ifsc):
        raise ValueError(f"row {line}: IFSC {ifsc!r}")
    m = AMOUNT.fullmatch(amount)
    paise = int(m[1]) * 100 + int((m[2] or "0").ljust(2, "0")) if m else 0
    if paise <= 0:
        raise ValueError(f"row {line}: amount {amount!r}")
    if debit not in BULK or kind != "NEFT":
        raise ValueError(f"row {line}: debit account {debit!r} or type {kind!r}")
    return line, ref, key, name, account, ifsc, paise, remarks, debit, kind, sub


def judged(path):
    seen = set()
    with open(path, newline="", encoding="utf-8-sig") as f:
        rows = csv.reader(f)
        columns = len(next(rows))
        for line, row in enumerate(rows, 2):
            if len(row) != columns:
                raise ValueError(f"row {line} has {len(row)} columns")
            yield judge(line, row, seen)


db = sqlite3.connect(sys.argv[2], isolation_level=None)
db.execute("PRAGMA journal_mode = WAL")
db.execute("PRAGMA synchronous = FULL")
db.execute("BEGIN IMMEDIATE")
db.execute(
    "CREATE TABLE payouts (id INTEGER PRIMARY KEY, line INTEGER NOT NULL, ref TEXT NOT NULL, key TEXT NOT NULL UNIQUE, name TEXT NOT NULL,"
    " account TEXT NOT NULL, ifsc TEXT NOT NULL, amount INTEGER NOT NULL CHECK (amount > 0), remarks TEXT, debit TEXT NOT NULL, kind TEXT NOT NULL, sub TEXT)"
)
db.executemany(
    "INSERT INTO payouts (line, ref, key, name, account, ifsc, amount, remarks, debit, kind, sub) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", judged(sys.argv[1])
)
db.execute("CREATE TABLE batches (no INTEGER PRIMARY KEY, debit TEXT NOT NULL, first INTEGER NOT NULL, count INTEGER NOT NULL, total INTEGER NOT NULL)")
db.execute(
    "INSERT INTO batches (debit, first, count, total) SELECT debit, min(id), count(*), sum(amount)"
    " FROM (SELECT id, debit, amount, row_number() OVER (PARTITION BY debit ORDER BY id) AS n FROM payouts) GROUP BY debit, (n - 1) / 500"
)
db.execute("COMMIT")
print(db.execute("SELECT count(*), sum(amount) FROM payouts").fetchone())
