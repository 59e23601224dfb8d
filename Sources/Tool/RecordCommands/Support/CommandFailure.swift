import ArgumentParser

/// Why a command cannot do what it was asked, and what to try.
package struct CommandFailure: Error, CustomStringConvertible {
    /// As it is printed: `error: …`, or `FILE:LINE:COLUMN: error: …` as compilers write it.
    package let description: String
    package let status: ExitStatus

    /// - Parameter place: Where in a file, with a colon behind it; `nil` when it is nowhere in a file.
    package init(_ message: String, at place: String? = nil, status: ExitStatus = .wrongUse) {
        self.init(description: (place.map { "\($0) " } ?? "") + "error: \(message)", status: status)
    }

    package init(description: String, status: ExitStatus) {
        self.description = description
        self.status = status
    }

    /// Starts a server, such as “the receiver”. Ports in use are told in words of the tool, not of the
    /// sockets' library.
    package static func starting<Server>(
        _ server: String,
        port setting: String? = nil,
        _ start: () async throws -> Server
    ) async throws -> Server {
        do {
            return try await start()
        } catch {
            let text = "\(error)".replacing(#/SocketError\. [^:]*: /#, with: "")
            guard let taken = text.firstMatch(of: /cannot listen on (.+):([0-9]+): Address already in use/)
            else {
                throw CommandFailure("\(server) cannot start: \(text)")
            }
            let which = setting.map { ", \($0)" } ?? ""
            throw CommandFailure(
                "port \(taken.2) on \(taken.1) is in use; choose another port\(which), or 0 for a free one"
            )
        }
    }
}

/// What the tool tells the shell, the same for every command.
package enum ExitStatus: Int32 {
    case done = 0
    /// Nothing was found, or what was checked has problems.
    case nothingFound = 1
    /// The command was used wrongly, or its input is bad. Nothing was sent.
    case wrongUse = 2
    /// The server refused, or failed.
    case refused = 3
    /// The server was not reached, or did not respond.
    case notReached = 4

    /// An expression failed on the file that it was evaluated on.
    package static let evaluationFailed = refused

    /// For the help of commands that ask a server.
    package static let help = """
        The exit status is 0 when it is done, 1 when nothing was found, 2 for wrong use or bad input, \
        3 when the server refuses or fails, 4 when it is not reached.
        """
}

extension ExitCode {
    package static let nothingFound = ExitCode(ExitStatus.nothingFound.rawValue)
    package static let wrongUse = ExitCode(ExitStatus.wrongUse.rawValue)
    package static let refused = ExitCode(ExitStatus.refused.rawValue)
}

extension Optional {
    /// What should be there.
    package func orFail(_ message: String, _ status: ExitStatus = .refused) throws -> Wrapped {
        guard let self else { throw CommandFailure(message, status: status) }
        return self
    }
}
