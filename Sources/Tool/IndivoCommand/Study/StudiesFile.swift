import Foundation
import IndivoBase
import OrderedJSON
import RecordCommands
import StudyServer

/// The configuration of `indivo study up` for several studies in one process.
///
/// ```json
/// {"title": "Our studies",
///  "studies": {"sleep": "sleep/study.json", "asthma": "asthma/study.json"},
///  "receiver": {"port": 8084}, "pages": {"users": "users", "port": 8090}}
/// ```
struct StudiesFile {
    private static let maximumStudies = 100

    private let file: StudyUpFile
    private let studies: [(name: StudyName, file: StudyUpFile)]

    /// - Parameter file: One that ``StudyUpFile/isOfSeveral``.
    init(_ file: StudyUpFile) throws {
        self.file = file
        guard let members = file.json["studies"]?.members, !members.isEmpty else {
            throw file.refuse(
                "“studies” names a configuration for each study: {\"sleep\": \"sleep/study.json\"}"
            )
        }
        guard members.count <= Self.maximumStudies else {
            throw file.refuse("“studies” has \(members.count), and may have \(Self.maximumStudies)")
        }
        if let twice = members.firstNamedTwice { throw file.refuse("“studies” has “\(twice)” twice") }
        studies = try members.map { member in
            guard let path = member.value.string, !path.isEmpty else {
                throw file.refuse("“studies”: “\(member.name)” is the path of a configuration")
            }
            do {
                return (try StudyName(member.name), try StudyUpFile(file.file(path)))
            } catch let error as StudyOperationsError {
                throw file.refuse("“studies”: \(error)")
            }
        }
    }

    /// What the configurations ask for, with the files that they name read.
    func plan() throws -> StudiesPlan {
        var plan = StudiesPlan()
        if let title = try file.text("title") { plan.title = title }
        let listening = ["address", "port", "trustsProxy", "connectionsPerAddress"]
        try file.check(file.json["receiver"] ?? [:], "“receiver”", Set(listening))
        plan.receiver = try file.receiver().configuration
        let people = try file.people()
        plan.pages = people.pages
        plan.operations = people.operations
        plan.audit = people.audit
        for (name, study) in studies {
            // They are of all studies together. Told twice, one of them would count for nothing.
            let own = ["pages", "operations", "audit"].first { study.json[$0] != nil }
            let ofReceiver = listening.first { study.json["receiver"]?[$0] != nil }
            if let twice = own ?? ofReceiver.map({ "receiver.\($0)" }) {
                throw study.refuse("“\(twice)” stands in \(file.path), for all studies; take it out here")
            }
            plan.studies.append((name, try study.plan()))
        }
        try checkPlaces(plan)
        return plan
    }

    /// No two studies share a queue, a warehouse or the registered apps: the data of one would be read as the
    /// other's.
    private func checkPlaces(_ plan: StudiesPlan) throws {
        var seen: [String: (name: StudyName, what: String)] = [:]
        var sources: [String: StudyName] = [:]
        for (name, study) in plan.studies {
            var places = [(study.queue.identity, "queue"), (study.store.identity, "warehouse")]
            switch study.clients {
            case .besideQueue: break
            case .file(let url): places.append((StudyPlace.file(url).identity, "apps"))
            case .postgreSQL(let url): places.append((StudyPlace.postgreSQL(url).identity, "apps"))
            }
            for (place, what) in places {
                // What one study has may be in one database, but not in one file.
                if let other = seen[place], other.name != name || place.hasPrefix("/") {
                    throw file.refuse(
                        "“\(name)” has its \(what) in the same place as “\(other.name)” its "
                            + "\(other.what); give each a place of its own"
                    )
                }
                seen[place] = (name, what)
            }
            // A warehouse knows whose it is by it, whatever the ways to it are called.
            guard let source = study.source else {
                throw file.refuse("“\(name)” needs a “source” of its own in its configuration, such as SLEEP")
            }
            if let other = sources.updateValue(name, forKey: source) {
                throw file.refuse(
                    "“\(name)” and “\(other)” have the “source” \(source); give each study another"
                )
            }
        }
    }

    /// Opens every file that the configurations name and ``plan()`` does not read.
    ///
    /// - Throws: ``CommandFailure`` with each that cannot be used, and why.
    func checkFiles() throws {
        var problems: [String] = []
        for study in [file] + studies.map(\.file) {
            do { try study.checkFiles() } catch let failure as CommandFailure {
                problems.append(failure.description)
            }
        }
        guard problems.isEmpty else {
            throw CommandFailure(description: problems.joined(separator: "\n"), status: .wrongUse)
        }
    }
}
