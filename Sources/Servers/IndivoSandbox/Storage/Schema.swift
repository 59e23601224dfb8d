import GRDB

/// The tables, in the steps by which they grew. A step that was released is never edited: add another.
enum Schema {
    static var migrator: DatabaseMigrator {
        let steps: KeyValuePairs = [
            "accounts, records, apps, tokens, documents, facts": tables,
            "nonces by their end": "CREATE INDEX nonceExpiresAt ON nonce (expiresAt)",
            "preferences named after their account":
                "UPDATE document SET externalId = 'preferences of ' || account WHERE account IS NOT NULL",
        ]
        return steps.reduce(into: DatabaseMigrator()) { migrator, step in
            migrator.registerMigration(step.key) { db in try db.execute(sql: step.value) }
        }
    }

    // Columns that many tables have.
    private static let id = "serial INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE"
    private static let token = "fingerprint TEXT PRIMARY KEY, secret BLOB NOT NULL"
    private static let ofRecord = "record TEXT NOT NULL REFERENCES record (id) ON DELETE CASCADE"
    private static let ofCarenet = "carenet TEXT NOT NULL REFERENCES carenet (id) ON DELETE CASCADE"
    private static let ofDocument = "document TEXT NOT NULL REFERENCES document (id) ON DELETE CASCADE"
    private static let ofAccount = "account TEXT NOT NULL REFERENCES account ON DELETE CASCADE"
    private static let ofApp = "app TEXT NOT NULL REFERENCES app ON DELETE CASCADE"

    private static let tables = """
        CREATE TABLE account (
            id TEXT PRIMARY KEY,
            fullName TEXT NOT NULL,
            contactEmail TEXT NOT NULL,
            state TEXT NOT NULL,
            createdAt INTEGER NOT NULL,
            lastLoginAt INTEGER,
            loginCount INTEGER NOT NULL,
            failedLoginCount INTEGER NOT NULL,
            disabledUntil INTEGER,
            stateChangedAt INTEGER NOT NULL,
            primarySecret TEXT,
            secondarySecret TEXT
        );
        CREATE TABLE login (username TEXT PRIMARY KEY, \(ofAccount), password TEXT);
        CREATE INDEX loginAccount ON login (account);
        CREATE TABLE browserSession (
            fingerprint TEXT PRIMARY KEY,
            \(ofAccount),
            csrf TEXT NOT NULL,
            expiresAt INTEGER NOT NULL
        );
        CREATE TABLE app (
            id TEXT PRIMARY KEY,
            internalId TEXT NOT NULL,
            name TEXT NOT NULL,
            consumerKey TEXT NOT NULL UNIQUE,
            consumerSecret TEXT NOT NULL,
            mode TEXT NOT NULL,
            startURL TEXT NOT NULL,
            callbackURL TEXT NOT NULL,
            manifest TEXT NOT NULL
        );
        CREATE TABLE machineApp (
            id TEXT PRIMARY KEY,
            name TEXT NOT NULL,
            consumerKey TEXT NOT NULL UNIQUE,
            consumerSecret TEXT NOT NULL,
            isChrome INTEGER NOT NULL
        );
        CREATE TABLE record (
            \(id),
            label TEXT NOT NULL,
            owner TEXT REFERENCES account,
            createdAt INTEGER NOT NULL,
            creator TEXT,
            externalId TEXT UNIQUE,
            demographics TEXT
        );
        CREATE TABLE share (
            \(id),
            \(ofRecord),
            account TEXT REFERENCES account,
            app TEXT REFERENCES app ON DELETE CASCADE,
            role TEXT,
            UNIQUE (record, account),
            UNIQUE (record, app)
        );
        CREATE TABLE carenet (\(id), \(ofRecord), name TEXT NOT NULL, UNIQUE (record, name));
        CREATE TABLE carenetAccount (
            \(ofCarenet),
            account TEXT NOT NULL REFERENCES account,
            canWrite INTEGER NOT NULL,
            PRIMARY KEY (carenet, account)
        );
        CREATE TABLE carenetApp (\(ofCarenet), \(ofApp), PRIMARY KEY (carenet, app));
        CREATE TABLE carenetDocument (
            \(ofCarenet),
            \(ofDocument),
            isShared INTEGER NOT NULL,
            PRIMARY KEY (carenet, document)
        );
        CREATE TABLE autoshare (\(ofCarenet), type TEXT NOT NULL, PRIMARY KEY (carenet, type));
        CREATE TABLE requestToken (
            \(token),
            \(ofApp),
            callback TEXT NOT NULL,
            record TEXT REFERENCES record (id) ON DELETE CASCADE,
            carenet TEXT REFERENCES carenet (id) ON DELETE CASCADE,
            account TEXT REFERENCES account,
            verifier TEXT,
            createdAt INTEGER NOT NULL
        );
        CREATE TABLE accessToken (
            \(token),
            \(ofApp),
            \(ofRecord),
            carenet TEXT REFERENCES carenet (id) ON DELETE CASCADE,
            account TEXT REFERENCES account,
            createdAt INTEGER NOT NULL,
            expiresAt INTEGER
        );
        CREATE TABLE connectToken (
            \(token),
            accessToken TEXT NOT NULL REFERENCES accessToken ON DELETE CASCADE
        );
        CREATE TABLE sessionToken (\(token), \(ofAccount), expiresAt INTEGER NOT NULL);
        CREATE TABLE nonce (nonce TEXT PRIMARY KEY, expiresAt INTEGER NOT NULL) WITHOUT ROWID;
        -- A document belongs to a record, to an app, or to an app's storage on a record.
        CREATE TABLE document (
            \(id),
            record TEXT REFERENCES record (id) ON DELETE CASCADE,
            app TEXT REFERENCES app ON DELETE CASCADE,
            account TEXT REFERENCES account,
            externalId TEXT,
            type TEXT,
            mimeType TEXT,
            content BLOB NOT NULL,
            size INTEGER NOT NULL,
            digest TEXT NOT NULL,
            label TEXT,
            status TEXT NOT NULL,
            neverShare INTEGER NOT NULL,
            createdAt INTEGER NOT NULL,
            creator TEXT NOT NULL,
            creatorType TEXT NOT NULL,
            original TEXT NOT NULL,
            replaces TEXT,
            replacedBy TEXT
        );
        CREATE INDEX documentRecord ON document (record, app, replacedBy, status, createdAt);
        CREATE INDEX documentOriginal ON document (original);
        CREATE UNIQUE INDEX documentExternal ON document (ifnull(record, ''), ifnull(app, ''), externalId)
            WHERE externalId IS NOT NULL;
        CREATE TABLE statusChange (
            serial INTEGER PRIMARY KEY AUTOINCREMENT,
            \(ofDocument),
            status TEXT NOT NULL,
            reason TEXT NOT NULL,
            at INTEGER NOT NULL,
            by TEXT NOT NULL
        );
        CREATE INDEX statusChangeDocument ON statusChange (document);
        CREATE TABLE relation (
            serial INTEGER PRIMARY KEY AUTOINCREMENT,
            type TEXT NOT NULL,
            subject TEXT NOT NULL REFERENCES document (id) ON DELETE CASCADE,
            object TEXT NOT NULL REFERENCES document (id) ON DELETE CASCADE
        );
        CREATE INDEX relationSubject ON relation (subject, type);
        CREATE INDEX relationObject ON relation (object);
        -- A fact is one object of a data model. `body` is JSON with every leaf field by its flattened name;
        -- `parent` and `relation` say whose field it is a value of.
        CREATE TABLE fact (
            \(id),
            model TEXT NOT NULL,
            \(ofRecord),
            \(ofDocument),
            createdAt INTEGER NOT NULL,
            parent INTEGER REFERENCES fact ON DELETE CASCADE,
            relation TEXT,
            body TEXT NOT NULL
        );
        CREATE INDEX factModel ON fact (record, model, createdAt);
        CREATE INDEX factDocument ON fact (document);
        CREATE INDEX factParent ON fact (parent);
        CREATE TABLE message (
            \(id),
            \(ofAccount),
            sender TEXT NOT NULL,
            record TEXT REFERENCES record (id) ON DELETE CASCADE,
            externalId TEXT,
            subject TEXT NOT NULL,
            body TEXT NOT NULL,
            bodyType TEXT NOT NULL,
            severity TEXT NOT NULL,
            attachmentCount INTEGER NOT NULL,
            receivedAt INTEGER NOT NULL,
            readAt INTEGER,
            archivedAt INTEGER,
            UNIQUE (account, sender, externalId)
        );
        CREATE TABLE attachment (
            message TEXT NOT NULL REFERENCES message (id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            type TEXT NOT NULL,
            content BLOB NOT NULL,
            document TEXT,
            PRIMARY KEY (message, number)
        );
        CREATE TABLE notification (
            \(id),
            \(ofAccount),
            sender TEXT NOT NULL,
            \(ofRecord),
            document TEXT,
            appURL TEXT,
            content TEXT NOT NULL,
            receivedAt INTEGER NOT NULL
        );
        CREATE TABLE audit (
            serial INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL,
            function TEXT NOT NULL,
            principal TEXT NOT NULL,
            proxiedBy TEXT NOT NULL,
            record TEXT NOT NULL,
            carenet TEXT NOT NULL,
            app TEXT NOT NULL,
            document TEXT NOT NULL,
            externalId TEXT NOT NULL,
            message TEXT NOT NULL,
            path TEXT NOT NULL,
            method TEXT NOT NULL,
            address TEXT NOT NULL,
            status INTEGER NOT NULL
        );
        CREATE INDEX auditRecord ON audit (record, at);
        """
}
