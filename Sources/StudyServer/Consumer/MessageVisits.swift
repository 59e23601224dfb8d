import OrderedJSON
import StudyWarehouse

/// What one message says in the end: of several resources with one identifier the newest replaces the others, as between
/// messages. Those that are equally new are all kept.
enum MessageVisits {
    /// The resources that none of the others replaces. Those of one visit are behind each other, and numbered.
    static func newest(of intakes: [Intake]) -> [Intake] {
        var (visits, seen): ([String: [Intake]], Set<Seen>) = ([:], [])
        for intake in intakes {
            guard let visit = intake.visit, seen.insert(Seen(visit: visit, resource: intake.resource)).inserted else { continue }
            visits[visit, default: []].append(intake)
        }
        var result: [Intake] = []
        for intake in intakes {
            guard let visit = intake.visit else {
                result.append(intake)
                continue
            }
            guard let group = visits.removeValue(forKey: visit) else { continue }
            result += numbered(group.count == 1 ? group : newest(ofOneVisit: group))
        }
        return result
    }

    private struct Seen: Hashable {
        let visit: String
        let resource: JSONValue
    }

    private static func newest(ofOneVisit group: [Intake]) -> [Intake] {
        var left = group
        // Where each says when it was changed, that decides first; otherwise what they are.
        if !group.contains(where: { $0.changed == nil }) { left = latest(of: left) }
        let rank = left.map(Self.rank).max()
        return latest(of: left.filter { Self.rank($0) == rank })
    }

    /// Without those that say that they are older than another.
    private static func latest(of group: [Intake]) -> [Intake] {
        let latest = group.compactMap { $0.changed?.description }.max()
        return group.filter { $0.changed == nil || $0.changed?.description == latest }
    }

    /// What replaces what where times do not tell.
    private static func rank(_ intake: Intake) -> Int {
        switch intake.resource["status"]?.string {
        case "entered-in-error", "cancelled": 3
        case "amended", "corrected", "appended": 2
        case "registered", "preliminary", "in-progress": 0
        default: 1
        }
    }

    /// A warehouse takes them as one, with one time.
    private static func numbered(_ group: [Intake]) -> [Intake] {
        let written = group.compactMap(\.written).max()
        return group.enumerated().map { index, intake in
            var intake = intake
            intake.number(index + 1, written: written)
            return intake
        }
    }
}
