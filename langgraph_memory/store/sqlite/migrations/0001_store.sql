-- One row per namespace. Its path is a range of paths with everything below it; the statistics are
-- those of keyword search; stamp grows with every write and removals with every deletion, which is
-- how another process's cache of the namespace knows what it has missed.
CREATE TABLE memory_namespaces (
    ns INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL UNIQUE,
    items INTEGER NOT NULL DEFAULT 0,
    documents INTEGER NOT NULL DEFAULT 0,
    length INTEGER NOT NULL DEFAULT 0,
    stamp INTEGER NOT NULL DEFAULT 0,
    removals INTEGER NOT NULL DEFAULT 0
);

-- The latest stamp of any namespace that is gone: one that comes again begins above it, so that no
-- version of an item is ever used twice.
CREATE TABLE memory_high_water (stamp INTEGER NOT NULL);
INSERT INTO memory_high_water VALUES (0);

-- Times are microseconds since 1970, UTC. terms is a JSON list of what the item has in the keyword
-- index; indexing is the put's own list of fields; generation says which index holds it.
CREATE TABLE memory_items (
    item INTEGER PRIMARY KEY AUTOINCREMENT,
    ns INTEGER NOT NULL,
    key TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    expires_at INTEGER,
    ttl_minutes REAL,
    length INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    indexing TEXT,
    value TEXT NOT NULL,
    terms TEXT NOT NULL,
    UNIQUE (ns, key)
);
CREATE INDEX memory_items_by_time ON memory_items (ns, updated_at, item, length);
CREATE INDEX memory_items_expiring ON memory_items (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memory_items_expiring_in ON memory_items (ns, expires_at)
    WHERE expires_at IS NOT NULL;

CREATE TABLE memory_vectors (
    vector INTEGER PRIMARY KEY,
    ns INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    item INTEGER NOT NULL,
    embedding BLOB NOT NULL
);
CREATE INDEX memory_vectors_of_items ON memory_vectors (ns, generation, item);

CREATE TABLE memory_postings (
    ns INTEGER NOT NULL,
    term TEXT NOT NULL,
    item INTEGER NOT NULL,
    tf INTEGER NOT NULL,
    PRIMARY KEY (ns, term, item)
) WITHOUT ROWID;

-- Who made the index: the current one, and perhaps one that is being built.
CREATE TABLE memory_generations (
    generation INTEGER PRIMARY KEY AUTOINCREMENT,
    embedder TEXT,
    dims INTEGER,
    fields TEXT NOT NULL,
    is_current INTEGER NOT NULL
);
