-- Which columns are kept for which header is asked before each sheet. A query that has these words is answered by the index.
CREATE INDEX events_columns ON events (seq) WHERE kind = 'columns_kept' OR kind = 'columns_forgotten';
