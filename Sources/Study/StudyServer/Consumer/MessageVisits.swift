import OrderedJSON
import StudyWarehouse

/// Finds the resources of a message that count: of several with one identifier the newest replaces the
/// others, as it does between messages. Equally new ones are all kept.
enum MessageVisits {
    /// The resources that no other one replaces. Those of one visit follow each other, and are numbered.
    static func newest(of intakes: [Intake]) -> [Intake] {
        let identities = intakes.map(\.identity)
        var visits: [Intake.Identity: Int] = [:]
        visits.reserveCapacity(intakes.count)
        for identity in identities { if let identity { visits[identity, default: 0] += 1 } }
        // As a rule each is there once.
        guard visits.values.contains(where: { $0 > 1 }) else { return intakes }
        let groups = Dictionary(grouping: intakes.indices) { identities[$0] }
        var result: [Intake] = []
        for (intake, identity) in zip(intakes, identities) {
            guard let identity, let count = visits[identity], count != 1 else {
                result.append(intake)
                continue
            }
            // All of them come where the first is.
            guard count > 1, let group = groups[identity] else { continue }
            visits[identity] = 0
            result += numbered(newest(ofOneVisit: different(group.map { intakes[$0] })))
        }
        return result
    }

    /// The first of those that are the same.
    private static func different(_ group: [Intake]) -> [Intake] {
        var seen: Set<JSONValue> = []
        return group.filter { seen.insert($0.resource).inserted }
    }

    private static func newest(ofOneVisit group: [Intake]) -> [Intake] {
        var left = group
        // Where all have a number of their version, the highest counts, whatever the phone's clock says.
        let versions = group.compactMap { ResourceOrder.version($0.resource) }
        if versions.count == group.count, let highest = versions.max() {
            left = left.filter { ResourceOrder.version($0.resource) == highest }
        }
        // Where all have a time of their last change, the latest count; among those, the status decides.
        if !left.contains(where: { $0.changed == nil }) { left = latest(of: left) }
        let rank = left.map { ResourceOrder.rank($0.resource) }.max()
        return latest(of: left.filter { ResourceOrder.rank($0.resource) == rank })
    }

    /// Without those whose time of change is before another's.
    private static func latest(of group: [Intake]) -> [Intake] {
        let latest = group.compactMap { $0.changed?.description }.max()
        return group.filter { $0.changed == nil || $0.changed?.description == latest }
    }

    /// Gives numbers to equally new resources, and one time: the warehouse replaces them together.
    private static func numbered(_ group: [Intake]) -> [Intake] {
        let written = group.compactMap(\.written).max()
        return group.enumerated().map { index, intake in
            var intake = intake
            intake.number(index + 1, written: written)
            if group.count > 1 { intake.keepAsFacts() }
            return intake
        }
    }
}
