import ArgumentParser

struct StudyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "study",
        abstract:
            """
            Make consents and schedules of a study; pack, encrypt, deliver, receive and evaluate \
            what participants give.
            """,
        discussion: """
            keys makes a study's key pair; pack and unpack make and open packages of ResearchKit and \
            envelopes of C3-PRO; submit delivers through a queue on disk; withdraw leaves a study; \
            publish signs what phones fetch, and fetch shows it. \
            up runs a small study in one process; \
            serve receives, consume decrypts into a warehouse, pending lists what waits for the team's \
            decision, and ontology and export are for those who evaluate; warehouse shows it to an i2b2; \
            progress counts how participants keep up; pages shows the team how it goes. \
            Pass phrases and secrets come from the environment or from files, never from options: \
            INDIVO_KEY_PASSPHRASE, INDIVO_STUDY_ANTISPAM, INDIVO_STUDY_RECEIPT.
            """,
        subcommands: [
            StudyKeysCommand.self, StudyPackCommand.self, StudyUnpackCommand.self, StudyInspectCommand.self,
            StudySubmitCommand.self, StudyQueueCommand.self, StudyWithdrawCommand.self,
            StudyConsentCommand.self,
            StudyDueCommand.self,
            StudyUpCommand.self, StudyBackupCommand.self, StudyRestoreCommand.self,
            StudyServeCommand.self, StudyConsumeCommand.self, StudyPendingCommand.self,
            StudyOntologyCommand.self, StudyExportCommand.self, StudyWarehouseCommand.self,
            StudyMessageCommand.self, StudyDecryptCommand.self, StudyReceiptCommand.self,
            StudyProgressCommand.self, StudyPagesCommand.self, StudyUserCommand.self,
            StudyAuditCommand.self, StudyPublishCommand.self, StudyFetchCommand.self,
        ]
    )
}
