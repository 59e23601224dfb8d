import ArgumentParser
import OrderedJSON

struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Show the server, app and record that the commands use, and where they are set.",
        discussion: """
            Each setting comes from its option, else from the environment, else from the file of \
            credentials, which has lines such as INDIVO_CONSUMER_SECRET=… and mode 0600:

            INDIVO_API              --api              the address of the API
            INDIVO_UI               --ui               the address of the server's pages, for indivo login
            INDIVO_APP_ID           --app-id           the app's id; the consumer key unless given
            INDIVO_CONSUMER_KEY     --consumer-key     the consumer key; the app's id unless given
            INDIVO_CONSUMER_SECRET                     the consumer secret
            INDIVO_TOKEN                               the access token, instead of a kept session's
            INDIVO_TOKEN_SECRET                        its secret
            INDIVO_RECORD           --record           the record's id
            INDIVO_CREDENTIALS      --credentials      the file of credentials; ~/.config/indivo/credentials
            INDIVO_SESSIONS         --sessions         the file in which indivo login keeps sessions
            INDIVO_ALLOW_HTTP       --allow-http       hosts that may be asked without TLS, with commas \
            between them

            There are no options for secrets, since everyone on a machine can see a process's arguments; \
            nor are secrets shown here.
            """
    )

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let settings = try connection.settings()
        let rows = Setting.allCases.map { setting in
            let value = settings[setting].map { setting.isSecret ? "(set)" : $0 }
            return [setting.rawValue, value, settings.source(of: setting), setting.meaning].map {
                JSONValue($0)
            }
        }
        try output.print(
            Listing(
                ["name": "setting", "value": "value", "source": "from", "meaning": "meaning"],
                rows
            )
        )
    }
}
