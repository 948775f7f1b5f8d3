-- The first layout. Texts are compared by their bytes, and times are milliseconds since 1970.

-- The time of the server, as of the beginning of the transaction.
CREATE FUNCTION fm.now_ms() RETURNS int8 LANGUAGE sql STABLE
    AS $$ SELECT pg_catalog.floor(extract(epoch FROM pg_catalog.now()) * 1000)::int8 $$;

-- The database in which these tables were made. Anywhere else they are a copy: restored, or taken over by a standby.
CREATE TABLE fm.origin (system int8 NOT NULL, timeline int8 NOT NULL, database int8 NOT NULL);
INSERT INTO fm.origin
    SELECT c.system_identifier, ('x' || pg_catalog.left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int8, d.oid::int8
    FROM pg_control_system() c, pg_catalog.pg_database d WHERE d.datname = current_database();

-- The nodes that live. A node is one start of a process.
CREATE TABLE fm.node (
    node uuid PRIMARY KEY,
    name text NOT NULL,
    offers text[] NOT NULL,
    schema int8 NOT NULL,
    room int8 NOT NULL,
    draining bool NOT NULL,
    advertise text,
    until int8 NOT NULL
) WITH (fillfactor = 50);

-- The worlds. Ordinary appends lock their row and leave it as it is.
CREATE TABLE fm.world (
    world uuid PRIMARY KEY,
    name text COLLATE "C" UNIQUE NOT NULL,
    parent uuid,
    base int8,
    -- The parent as long as the world has no copy of its rows: that one cannot be deleted then.
    shares uuid REFERENCES fm.world,
    owner text,
    labels jsonb NOT NULL,
    sealed bool NOT NULL,
    needs text[] NOT NULL DEFAULT '{}',
    schema int8 NOT NULL DEFAULT 0,
    -- No fold of this incarnation or of one before it is kept.
    barred int8,
    reach bytea,
    holder uuid,
    -- True if its holder was no member when the world began: no reaping of members would free it.
    stray bool NOT NULL DEFAULT false,
    due int8
);
CREATE INDEX world_holder ON fm.world (holder) WHERE holder IS NOT NULL;
CREATE INDEX world_due ON fm.world (due, world) WHERE holder IS NULL;
CREATE INDEX world_stray ON fm.world (world) WHERE stray;
CREATE INDEX world_parent ON fm.world (parent, world) WHERE parent IS NOT NULL;
CREATE INDEX world_shares ON fm.world (shares) WHERE shares IS NOT NULL;
CREATE INDEX world_owner ON fm.world (owner) WHERE owner IS NOT NULL;
CREATE INDEX world_labels ON fm.world USING gin (labels jsonb_path_ops);

-- The commits, with the record as all stores have it: its link stands in the bytes 5 to 36.
CREATE TABLE fm.commit (
    world uuid NOT NULL,
    first int8 NOT NULL,
    last int8 NOT NULL,
    time int8 NOT NULL,
    incarnation int8 NOT NULL,
    key bytea,
    -- The bytes of the content beside the record; null: there is none.
    beside int8,
    record bytea NOT NULL,
    PRIMARY KEY (world, first)
) PARTITION BY HASH (world);
CREATE UNIQUE INDEX commit_key ON fm.commit (world, key) WHERE key IS NOT NULL;
DO $$ BEGIN
    FOR part IN 0..15 LOOP
        EXECUTE pg_catalog.format(
            'CREATE TABLE fm.commit_%s PARTITION OF fm.commit FOR VALUES WITH (MODULUS 16, REMAINDER %s)', part, part);
    END LOOP;
END $$;

-- The content that is too large for a record.
CREATE TABLE fm.content (world uuid, at int8, bytes bytea NOT NULL, PRIMARY KEY (world, at));

-- The messages that were taken away, and the commit that did so.
CREATE TABLE fm.gone (world uuid, at int8, by int8 NOT NULL, PRIMARY KEY (world, at));

CREATE TABLE fm.checkpoint (
    world uuid,
    at int8,
    incarnation int8 NOT NULL,
    decider bytea NOT NULL,
    link bytea NOT NULL,
    state bytea NOT NULL,
    PRIMARY KEY (world, at)
);

CREATE TABLE fm.blob (
    world uuid,
    digest bytea,
    put int8 NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (world, digest)
);
CREATE INDEX blob_put ON fm.blob (put, world);

-- The numbers of blobs that erasures took away, by their requests.
CREATE TABLE fm.erasure (world uuid, by int8, files int8 NOT NULL, PRIMARY KEY (world, by));

-- The rest of deleted worlds.
CREATE TABLE fm.tombstone (world uuid PRIMARY KEY, value bytea NOT NULL);

-- The inbox of the worlds' holders.
CREATE TABLE fm.ask (
    id uuid PRIMARY KEY,
    world uuid NOT NULL REFERENCES fm.world ON DELETE CASCADE,
    command bytea NOT NULL,
    principal bytea,
    login text NOT NULL DEFAULT session_user,
    asked int8 NOT NULL DEFAULT fm.now_ms(),
    answer bytea,
    answered int8
);
CREATE INDEX ask_open ON fm.ask (id) WHERE answer IS NULL;
CREATE INDEX ask_world ON fm.ask (world);
CREATE INDEX ask_answered ON fm.ask (answered) WHERE answered IS NOT NULL;

-- The tables that still have bytes in their files of what was rewritten or deleted, and how often something was.
CREATE TABLE fm.leftover (part text PRIMARY KEY, times int8 NOT NULL DEFAULT 1);

-- The small records that all processes of the database share, e.g. the tokens and sessions of servers.
CREATE TABLE fm.shared (kind text COLLATE "C", key bytea, value bytea NOT NULL, PRIMARY KEY (kind, key));

-- The number of changes of each kind of them: what is asked for every second, to learn of changes.
CREATE TABLE fm.shared_version (kind text PRIMARY KEY, version int8 NOT NULL) WITH (fillfactor = 50);
