import Foundation
import IndivoBase

/// Receives callbacks on 127.0.0.1, for tools and desktop apps (RFC 8252, section 7.3).
///
/// The app's start URL, as registered with the server, is ``startURL`` with the server's variables behind it:
/// `http://127.0.0.1:8002/start?record_id={record_id}&carenet_id={carenet_id}`. The listener serves requests
/// only while a login is under way, takes nothing from outside the machine, and gives each login a callback
/// of its own, under a random path.
///
/// Every program on the machine and every page in its browsers can send requests here. A request that no
/// browser makes when a person goes to a page is refused: another `Host`, a script, an image, a frame. A
/// request that the login does not wait for, or without a record, gets a page that says so, and the login
/// continues; with a carenet in a record's place, the login ends (``IndivoError/LoginError/carenetChosen``).
/// One attack remains: a page that sends the whole window to ``startURL`` with a record of its own choice,
/// before the person has chosen, cannot be distinguished from the server's. So show which record was opened,
/// as ``IndivoRecord/information()`` gives it.
public struct LoopbackListener: CallbackReceiver {
    /// The port listened on.
    public let port: UInt16
    /// How long a connection may take to send its request.
    package var patience = Duration.seconds(10)
    private let socket: LoopbackSocket?

    /// A listener that opens its port when a login begins, and closes it before the login returns.
    public init(port: UInt16 = 8002) {
        self.port = port
        socket = nil
    }

    private init(socket: LoopbackSocket) {
        port = socket.port
        self.socket = socket
    }

    /// A listener on a port that is free now. It keeps the port, and serves one login at a time.
    /// - Throws: `CallbackError` when the system gives none.
    public static func onFreePort() throws -> LoopbackListener {
        try LoopbackListener(socket: LoopbackSocket(port: 0))
    }

    /// The address to which the server's UI sends the browser once a record is chosen, without the query.
    public var startURL: URL { url(Self.startPath) }

    private static let startPath = "/start"
    private static let callbackFolder = "/callback/"

    private func url(_ path: String) -> URL {
        // Digits, dots and a path of our own making always form a URL.
        URL(string: "http://127.0.0.1:\(port)\(path)")!
    }

    public func listen() throws -> CallbackSession {
        let callback = Self.callbackFolder + RandomToken.make(length: 32)
        var pages = LoopbackPages([.record: Self.startPath, .authorization: callback], callback: callback)
        pages.patience = patience
        pages.problem = { step, url in step == .record ? Self.problem(with: url) : nil }
        pages.problemElsewhere = { path in
            path.hasPrefix(Self.callbackFolder)
                ? "This page belongs to another login. Go back to the app and begin again." : nil
        }
        return try pages.listen(on: socket ?? LoopbackSocket(port: port), keepsPort: socket != nil)
    }

    /// Why an arrival to the start URL does not end the choice. It is `nil` for a record, and for a carenet,
    /// too: the person would wait in vain if the login did not end.
    private static func problem(with url: URL) -> String? {
        do throws(IndivoError.LoginError) {
            return isID(try url.chosenRecord()) ? nil : "No record was chosen: this is no id of a record."
        } catch .carenetChosen where isID(url.callbackParameters["carenet_id"] ?? "") {
            return nil
        } catch {
            return "No record was chosen: \(error)."
        }
    }

    private static func isID(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count) && text.utf8.allSatisfy { PercentEncoding.isUnreserved($0) }
    }
}
