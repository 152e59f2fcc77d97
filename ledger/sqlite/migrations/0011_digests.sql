-- Every event that plans a batch, loads a sheet or moves a batch carries digests
-- of the rows that it is about (ledger.Digest), and the chain binds the event:
-- a row that was changed by other means than payrun no longer has its digest.
-- What is here already is bound as it stands by events of their own, which the
-- program adds behind the steps of the schema (bind.go).

ALTER TABLE events ADD COLUMN digest TEXT NOT NULL DEFAULT '' CHECK (digest = '' OR length(digest) = 64); -- of what never changes
ALTER TABLE events ADD COLUMN stands TEXT NOT NULL DEFAULT '' CHECK (stands = '' OR length(stands) = 64); -- of how the batch stands after it

CREATE TRIGGER events_bound BEFORE INSERT ON events
WHEN NEW.kind IN ('batch_planned', 'sheet_loaded', 'bound') AND NEW.digest = ''
BEGIN SELECT RAISE(ABORT, 'an event of what is recorded carries its digest'); END;
