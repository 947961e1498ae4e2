-- One row per namespace. Its path is a range of paths with everything below it; the statistics are
-- those of keyword search, and how many vectors there are; stamp grows with every write. most_vectors
-- is the largest number of vectors that an item of it ever had, and approximate the generation of the index for which it
-- has an approximate index of its own (0: none, it is scanned).
-- Every write updates its row, so a page keeps room for the new version beside the old.
CREATE TABLE memory_namespaces (
    ns bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    path text COLLATE "C" NOT NULL UNIQUE,
    items bigint NOT NULL DEFAULT 0,
    documents bigint NOT NULL DEFAULT 0,
    length bigint NOT NULL DEFAULT 0,
    vectors bigint NOT NULL DEFAULT 0,
    stamp bigint NOT NULL DEFAULT 0,
    most_vectors integer NOT NULL DEFAULT 0,
    approximate integer NOT NULL DEFAULT 0
) WITH (fillfactor = 60);

-- The latest stamp of namespaces that were removed: one that is made anew begins above it, so that
-- no version of an item is ever given twice.
CREATE TABLE memory_high_water (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    stamp bigint NOT NULL
);
INSERT INTO memory_high_water (stamp) VALUES (0);

-- Times are microseconds since 1970, UTC. value is JSON as it was given: jsonb would change the
-- order of members and the form of numbers. terms is what the item has in the keyword index,
-- with spaces between; indexing is the put's own list of fields; generation says which index holds
-- it.
CREATE TABLE memory_items (
    item bigint GENERATED ALWAYS AS IDENTITY,
    ns bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    expires_at bigint,
    ttl_minutes double precision,
    length integer NOT NULL,
    vectors integer NOT NULL,
    generation integer NOT NULL,
    key text COLLATE "C" NOT NULL,
    indexing text,
    value text NOT NULL,
    terms text NOT NULL,
    -- Ids come from one sequence and are looked up alone, so the id is first here; the namespace
    -- is in it because a table that is divided by namespaces needs it in every unique index.
    PRIMARY KEY (item, ns),
    UNIQUE (ns, key)
) WITH (fillfactor = 90);
CREATE INDEX memory_items_by_time ON memory_items (ns, updated_at);
CREATE INDEX memory_items_expiring ON memory_items (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memory_items_expiring_in ON memory_items (ns, expires_at)
    WHERE expires_at IS NOT NULL;

CREATE TABLE memory_postings (
    ns bigint NOT NULL,
    item bigint NOT NULL,
    tf integer NOT NULL,
    length integer NOT NULL,
    term text COLLATE "C" NOT NULL,
    PRIMARY KEY (ns, term, item)
);

-- Vectors have length 1, so their inner product is their cosine. Any number of dimensions goes
-- into the column: a database has one embedder at a time, and another while it is reindexed. What
-- a search has to know of an item beside its scores is here again, so that it need not be fetched.
CREATE TABLE memory_embeddings (
    ns bigint NOT NULL,
    item bigint NOT NULL,
    updated_at bigint NOT NULL,
    length integer NOT NULL,
    generation integer NOT NULL,
    field integer NOT NULL,
    embedding vector NOT NULL,
    PRIMARY KEY (ns, item, generation, field)
);

-- The same vectors in half precision and half the size. A namespace is scanned here, and only the
-- best are compared exactly.
CREATE TABLE memory_sketches (
    ns bigint NOT NULL,
    item bigint NOT NULL,
    generation integer NOT NULL,
    field integer NOT NULL,
    embedding halfvec NOT NULL,
    PRIMARY KEY (ns, item, generation, field)
);

-- Vectors up to about 2,000 (in half precision 4,000) dimensions stay in the row, where a scan
-- reads them many times faster than from the side table for large values.
ALTER TABLE memory_embeddings ALTER COLUMN embedding SET STORAGE EXTERNAL;
ALTER TABLE memory_embeddings SET (toast_tuple_target = 8160);
ALTER TABLE memory_sketches ALTER COLUMN embedding SET STORAGE EXTERNAL;
ALTER TABLE memory_sketches SET (toast_tuple_target = 8160);

-- Who made the index: the current one, and perhaps one that is being built.
CREATE TABLE memory_generations (
    generation integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    embedder text,
    dims integer,
    fields text NOT NULL,
    is_current boolean NOT NULL
);
CREATE UNIQUE INDEX memory_generations_current ON memory_generations (is_current) WHERE is_current;

-- A moment in a record, as Python's datetime.fromisoformat reads it; null if it is none or has no
-- time zone, whatever else Postgres takes for a time.
CREATE FUNCTION memory_moment(written text) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF written !~ '^\d{4}-?\d\d-?\d\d[T ]([01]\d|2[0-3]):?[0-5]\d(:?[0-5]\d([.]\d+)?)?(Z|[+-]\d\d(:?\d\d(:?\d\d)?)?)$'
    THEN
        RETURN NULL;
    END IF;
    RETURN regexp_replace(written, '([.]\d{6})\d+', '\1')::timestamptz;
EXCEPTION WHEN data_exception THEN
    RETURN NULL;
END
$$;
