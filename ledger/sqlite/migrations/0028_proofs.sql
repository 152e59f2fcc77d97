-- Each event says what showed that its actor is who they are, where it was not
-- the system they run on: at the desk their address and the proof of their password.

ALTER TABLE events ADD COLUMN proof TEXT NOT NULL DEFAULT '';
