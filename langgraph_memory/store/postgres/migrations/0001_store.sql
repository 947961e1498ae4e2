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

-- A record's JSON text after one more use, as records.used makes it; null if the value is no record
-- or its last use is no moment with a time zone that Python's datetime.fromisoformat reads. The text
-- is put together again member by member, so that order and form of everything else stay.
CREATE FUNCTION memory_used(written text, moment bigint, half_lives jsonb) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
    record jsonb := written::jsonb;
    last_use text := record ->> 'last_accessed_at';
    earlier timestamptz;
    present timestamptz := 'epoch'::timestamptz + moment * interval '1 microsecond';
    idle_days double precision;
    half_life double precision := (half_lives ->> (record ->> 'type'))::double precision;
BEGIN
    IF half_life IS NULL
        OR (SELECT bool_or(coalesce(jsonb_typeof(record -> name), '') <> 'string') FROM unnest(ARRAY[
            'content', 'type', 'id', 'scope', 'status', 'created_at', 'last_accessed_at']) AS name)
        OR (SELECT bool_or(coalesce(jsonb_typeof(record -> name), '') <> 'number'
            OR record -> name < '0' OR record -> name >= '1e300')
            FROM unnest(ARRAY['heat', 'access_count']) AS name)
        OR last_use !~ ('^\d{4}-?\d\d-?\d\d[T ]([01]\d|2[0-3])(:?[0-5]\d(:?[0-5]\d([.]\d+)?)?)?'
            '(Z|[+-]\d\d(:?\d\d(:?\d\d)?)?)$')
    THEN
        RETURN NULL;
    END IF;
    BEGIN
        earlier := regexp_replace(last_use, '([.]\d{6})\d+', '\1')::timestamptz;
    EXCEPTION WHEN data_exception THEN
        RETURN NULL;
    END;
    idle_days := greatest(0, extract(epoch FROM present - earlier)::double precision) / 86400;
    RETURN (
        SELECT json_object_agg(member, CASE member
            WHEN 'heat' THEN to_json(greatest(0, (record ->> 'heat')::double precision)
                * exp(-ln(2::double precision) / half_life * idle_days) + 1)
            WHEN 'access_count' THEN to_json(trunc((record ->> 'access_count')::numeric) + 1)
            WHEN 'last_accessed_at' THEN to_json(to_char(
                greatest(earlier, present) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
            ELSE value
        END ORDER BY place)
        FROM json_each(written::json) WITH ORDINALITY AS m (member, value, place)
    );
END
$$;
