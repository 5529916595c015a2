PRAGMA application_id = 1397904983;
PRAGMA user_version = 4;
BEGIN TRANSACTION;
CREATE TABLE cache (
        key BLOB PRIMARY KEY,
        used INTEGER NOT NULL,
        size INTEGER NOT NULL,
        crc INTEGER NOT NULL,
        value BLOB NOT NULL
    );
CREATE TABLE cache_total (bytes INTEGER NOT NULL);
INSERT INTO "cache_total" VALUES(0);
CREATE TABLE events (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id TEXT,
        at TEXT NOT NULL,
        kind TEXT NOT NULL,
        data BLOB NOT NULL
    , session TEXT);
INSERT INTO "events" VALUES(1,NULL,'2026-11-29T09:03:35Z','session.state_changed',CAST('{"pid":6062,"previous":"pending_self_review","new":"self_reviewing"}' AS BLOB),'s-ac75c493');
INSERT INTO "events" VALUES(2,NULL,'2026-11-29T09:03:35Z','session.state_changed',CAST('{"pid":6062,"previous":"self_reviewing","new":"self_review_failed","verdict":"needs_work","status":"complete"}' AS BLOB),'s-ac75c493');
INSERT INTO "events" VALUES(3,'r-20261129-090335-4428','2026-11-29T09:03:35Z','review.completed',CAST('{"status":"complete","verdict":"needs_work"}' AS BLOB),NULL);
INSERT INTO "events" VALUES(4,NULL,'2026-11-29T09:03:35Z','session.run_ended',CAST('{"pid":6062,"stop":null,"patch":null,"run":"r-20261129-090335-4428"}' AS BLOB),'s-ac75c493');
INSERT INTO "events" VALUES(5,NULL,'2026-11-29T09:03:38Z','person.accept',CAST('{"pid":6221,"who":"Sam <sam@example.com>","reason":"it is meant so","issue":"v1:3063dd5bd5489baab4671fd7cc95bf1b"}' AS BLOB),'s-ac75c493');
CREATE TABLE hints (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE);
CREATE TABLE issues (
        fingerprint TEXT PRIMARY KEY,
        id TEXT NOT NULL,
        first_seen TEXT NOT NULL,
        first_run TEXT NOT NULL,
        last_seen TEXT NOT NULL,
        last_seq INTEGER NOT NULL,
        sightings INTEGER NOT NULL,
        status TEXT NOT NULL
    ) WITHOUT ROWID
    ;
INSERT INTO "issues" VALUES('v1:3063dd5bd5489baab4671fd7cc95bf1b','sr-3063dd5b','2026-11-29T09:03:35Z','r-20261129-090335-4428','2026-11-29T09:03:35Z',1,1,'open');
INSERT INTO "issues" VALUES('v1:aa771e0d5a46203c26bf4176a892e2ef','sr-aa771e0d','2026-11-29T09:03:35Z','r-20261129-090335-4428','2026-11-29T09:03:35Z',1,1,'open');
INSERT INTO "issues" VALUES('v1:edd1dc4f12383aa7b58aba4431ddef02','sr-edd1dc4f','2026-11-29T09:03:35Z','r-20261129-090335-4428','2026-11-29T09:03:35Z',1,1,'duplicate');
CREATE TABLE outbox (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        key TEXT NOT NULL,
        channel TEXT NOT NULL,
        state TEXT NOT NULL,
        tries INTEGER NOT NULL,
        added REAL NOT NULL,
        due REAL NOT NULL,
        lease REAL NOT NULL,
        owner TEXT NOT NULL,
        said TEXT NOT NULL,
        body BLOB NOT NULL,
        UNIQUE (key, channel)
    );
CREATE TABLE results (seq INTEGER PRIMARY KEY, body BLOB NOT NULL);
INSERT INTO "results" VALUES(1,CAST('{"schemaVersion":1,"verdict":"needs_work","status":"complete","passed":false,"severityThreshold":"low","summary":"2 issues to fix (1 medium, 1 low) in 1 file.","iteration":0,"timestamp":"2026-11-29T09:03:35Z","runId":"r-20261129-090335-4428","modelReviewed":false,"durationMs":847,"notes":["nothing of this is committed yet","No model took part: static reviewers find known patterns and do not read logic."],"incompleteReasons":[],"notPassedReasons":[],"issues":[{"id":"sr-aa771e0d","severity":"low","category":"style","file":"app.py","lineStart":2,"lineEnd":2,"side":"new","description":"Test for membership should be `not in`. It reads as (not x) in y.","reviewer":"ruff","fingerprint":"v1:aa771e0d5a46203c26bf4176a892e2ef","column":12,"suggestedFix":"Convert to `not in`","rule":"E713","confidence":null,"evidence":"    if not x in (1, 2, 3):","related":[],"edits":[{"lineStart":2,"columnStart":7,"lineEnd":2,"columnEnd":25,"replacement":"x not in (1, 2, 3)"}],"alsoReportedBy":[],"status":"open","statusReason":null,"pathBytes":null,"unreviewed":false},{"id":"sr-edd1dc4f","severity":"medium","category":"logic","file":"app.py","lineStart":4,"lineEnd":4,"side":"new","description":"Use `True` instead of `... or True`. The condition never changes.","reviewer":"ruff","fingerprint":"v1:edd1dc4f12383aa7b58aba4431ddef02","column":8,"suggestedFix":"Replace with `True`","rule":"SIM222","confidence":null,"evidence":"    if x == \"a\" or \"b\":","related":[],"edits":[],"alsoReportedBy":[],"status":"duplicate","statusReason":"duplicate of sr-3063dd5b","pathBytes":null,"unreviewed":false},{"id":"sr-3063dd5b","severity":"medium","category":"logic","file":"app.py","lineStart":4,"lineEnd":4,"side":"new","description":"The text after `or` is always true, so the whole condition is.","reviewer":"rules","fingerprint":"v1:3063dd5bd5489baab4671fd7cc95bf1b","column":8,"suggestedFix":"Compare with each value: `x in (a, b)`.","rule":"python-or-literal","confidence":null,"evidence":"    if x == \"a\" or \"b\":","related":[],"edits":[],"alsoReportedBy":["ruff"],"status":"open","statusReason":null,"pathBytes":null,"unreviewed":false}],"counts":{"critical":0,"high":0,"medium":1,"low":1,"suggestion":0},"scope":{"mode":"branch","base":"main","mergeBase":"4f6a1e74958d35d03a2ba42b68512f8a706a587b","head":"4f6a1e74958d35d03a2ba42b68512f8a706a587b","tree":"989f8ae8cfe1bcc4a5cb147071f79896e49fbba8","branch":"work","uncommitted":true,"partial":false,"askedLess":false,"files":1,"addedLines":6,"removedLines":0,"notes":["nothing of this is committed yet"]},"coverage":{"files":1,"reviewedFiles":1,"addedLines":6,"depth":{"text":6,"static":6,"model":0},"textOnly":[],"excluded":[]},"reviewers":[{"name":"semgrep","status":"not_applicable","durationMs":0,"issues":0,"cached":false,"usage":null,"error":"the repository has no rules for it","hint":null,"depth":"static","files":1,"required":false},{"name":"zizmor","status":"not_applicable","durationMs":0,"issues":0,"cached":false,"usage":null,"error":null,"hint":null,"depth":"static","files":0,"required":false},{"name":"hadolint","status":"not_applicable","durationMs":0,"issues":0,"cached":false,"usage":null,"error":null,"hint":null,"depth":"static","files":0,"required":false},{"name":"shellcheck","status":"not_applicable","durationMs":0,"issues":0,"cached":false,"usage":null,"error":null,"hint":null,"depth":"static","files":0,"required":false},{"name":"text","status":"ok","durationMs":79,"issues":0,"cached":false,"usage":null,"error":null,"hint":null,"depth":"text","files":1,"required":false},{"name":"secrets","status":"ok","durationMs":241,"issues":0,"cached":false,"usage":null,"error":null,"hint":null,"depth":"text","files":1,"required":false},{"name":"rules","status":"ok","durationMs":280,"issues":1,"cached":false,"usage":null,"error":null,"hint":null,"depth":"static","files":1,"required":false},{"name":"ruff","status":"ok","durationMs":157,"issues":2,"cached":false,"usage":null,"error":null,"hint":null,"depth":"static","files":1,"required":false}],"usage":{"requests":0,"inputTokens":0,"cacheReadTokens":0,"cacheWriteTokens":0,"outputTokens":0,"costUsd":0.0},"iterations":[],"stop":null,"stopReason":null,"patch":null,"error":null}' AS BLOB));
CREATE TABLE runs (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        at TEXT NOT NULL,
        branch TEXT NOT NULL,
        size INTEGER NOT NULL
    );
INSERT INTO "runs" VALUES(1,'r-20261129-090335-4428','2026-11-29T09:03:35Z','work',4197);
CREATE TABLE sessions (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        worktree TEXT NOT NULL,
        branch TEXT NOT NULL,
        body BLOB NOT NULL
    );
INSERT INTO "sessions" VALUES(1,'s-ac75c493','/path/to/repo','work',CAST('{"id":"s-ac75c493","branch":"work","worktree":"/path/to/repo","created":"2026-11-29T09:03:35Z","updated":"2026-11-29T09:03:38Z","state":"self_review_failed","iteration":0,"maxIterations":3,"base":"main","tree":"989f8ae8cfe1bcc4a5cb147071f79896e49fbba8","runId":"r-20261129-090335-4428","patch":null,"stop":null,"humanReviewRequired":null,"humanReviewAt":null,"failedIn":null,"error":null,"decisions":[{"action":"accept","who":"Sam <sam@example.com>","at":"2026-11-29T09:03:38Z","reason":"it is meant so","fingerprint":"v1:3063dd5bd5489baab4671fd7cc95bf1b","also":["v1:edd1dc4f12383aa7b58aba4431ddef02"],"tree":"989f8ae8cfe1bcc4a5cb147071f79896e49fbba8","flagged":[{"fingerprint":"v1:3063dd5bd5489baab4671fd7cc95bf1b","key":"09642c4f7f601217efc12273af2ee156","alike":1},{"fingerprint":"v1:edd1dc4f12383aa7b58aba4431ddef02","key":"3f6068374de491110c928aa91f5e222d","alike":1}]}],"forge":"","request":null,"requestUrl":"","fixCycle":0,"fixCycleReset":0,"requestReset":false,"waits":0}' AS BLOB));
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE watched (
        forge TEXT NOT NULL,
        number INTEGER NOT NULL,
        done TEXT NOT NULL,
        told TEXT NOT NULL,
        tried TEXT NOT NULL,
        tries INTEGER NOT NULL,
        due REAL NOT NULL,
        swept REAL NOT NULL,
        said TEXT NOT NULL,
        PRIMARY KEY (forge, number)
    ) WITHOUT ROWID
    ;
CREATE INDEX runs_branch ON runs (branch, seq);
CREATE INDEX issues_id ON issues (id);
CREATE INDEX issues_last ON issues (last_seq);
CREATE INDEX events_run ON events (run_id, seq);
CREATE INDEX cache_lru ON cache (used, size);
CREATE TRIGGER cache_added AFTER INSERT ON cache BEGIN UPDATE cache_total SET bytes = bytes + new.size; END;
CREATE TRIGGER cache_removed AFTER DELETE ON cache BEGIN UPDATE cache_total SET bytes = bytes - old.size; END;
CREATE INDEX sessions_place ON sessions (worktree, branch, seq);
CREATE INDEX events_session ON events (session, seq);
CREATE INDEX outbox_state ON outbox (state, channel, seq);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('sessions',4);
INSERT INTO "sqlite_sequence" VALUES('events',5);
INSERT INTO "sqlite_sequence" VALUES('runs',1);
COMMIT;
