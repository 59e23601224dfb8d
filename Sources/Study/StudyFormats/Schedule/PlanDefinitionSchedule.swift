import OrderedJSON

extension StudySchedule {
    /// Reads a PlanDefinition of FHIR R4. What of its timing is not understood is an error: the schedule
    /// would be wrong.
    init(planDefinition json: JSONValue, _ problems: inout ObjectReader.Problems) {
        self.init()
        guard json["resourceType"]?.isString("PlanDefinition") == true else {
            problems.add("this is a resource, but not a PlanDefinition", "", json)
            return
        }
        let actions = json.elements(of: "action")
        if actions.isEmpty { problems.add("there is no action", "", json) }
        if actions.count > Self.maximumTasks {
            problems.add("there are more than \(Self.maximumTasks) actions", "action", json["action"])
        }
        let ids = Set(actions.prefix(Self.maximumTasks).compactMap { $0["id"]?.string })
        for (index, action) in actions.prefix(Self.maximumTasks).enumerated() {
            var reader = ActionReader(action: action, path: "action[\(index)]", problems: problems)
            if let task = reader.task(ids) { tasks.append(task) }
            problems = reader.problems
        }
    }
}

/// Reads one action of a PlanDefinition.
private struct ActionReader {
    let action: JSONValue
    let path: String
    var problems: ObjectReader.Problems

    mutating func task(_ ids: Set<String>) -> ScheduledTask? {
        guard action.kind == .object else {
            problems.add("an object is expected", path, action)
            return nil
        }
        guard let id = action["id"]?.string, !id.isEmpty, id.utf8.count <= TextLimits.title else {
            problems.add("the action has no id, which names the task", path, action)
            return nil
        }
        let isConsent = (action["code"]?[0]?.elements(of: "coding") ?? []).contains {
            $0["code"]?.isString("consent") == true
        }
        var task = ScheduledTask(id: id, kind: isConsent ? .consent : .survey)
        task.title = action["title"]?.string.map { String($0.prefix(200)) }
        task.notification = .once
        refuse(
            [
                "action", "condition", "trigger", "timingDateTime", "timingAge", "timingPeriod",
                "timingDuration", "timingRange",
            ],
            in: action,
            path,
            known: [],
            warns: false
        )
        readStart(&task, ids)
        if let timing = action["timingTiming"] { readTiming(timing, "\(path).timingTiming", &task) }
        task.check(action, path, &problems)
        return task
    }

    /// `relatedAction`: after `enrolment`, by a duration, or in a range whose width is the longest delay.
    private mutating func readStart(_ task: inout ScheduledTask, _ ids: Set<String>) {
        let related = action.elements(of: "relatedAction")
        guard let first = related.first else { return }
        let path = "\(path).relatedAction"
        if related.count > 1 {
            problems.add("only one related action is understood: the enrolment", "\(path)[1]", related[1])
        }
        if first["actionId"]?.isString("enrolment") != true || ids.contains("enrolment") {
            problems.add(
                "only the action “enrolment”, which the plan does not have itself, is understood",
                "\(path)[0].actionId",
                first
            )
        }
        let relation = first["relationship"]?.string
        if relation != "after", relation != "after-start", relation != "after-end" {
            problems.add(
                "only after, after-start and after-end are understood",
                "\(path)[0].relationship",
                first
            )
        }
        if let offset = first["offsetDuration"] {
            task.starts = span(offset, "\(path)[0].offsetDuration") ?? CalendarSpan()
        } else if let range = first["offsetRange"] {
            let low = range["low"] ?? .null
            let high = range["high"] ?? .null
            guard let start = span(low, "\(path)[0].offsetRange.low"),
                let end = span(high, "\(path)[0].offsetRange.high")
            else {
                return
            }
            let delay = CalendarSpan(
                months: end.months - start.months,
                days: end.days - start.days,
                hours: end.hours - start.hours
            )
            guard delay.months >= 0, delay.days >= 0, delay.hours >= 0 else {
                problems.add(
                    "low and high have different units, or high is less",
                    "\(path)[0].offsetRange",
                    range
                )
                return
            }
            task.starts = start
            task.delayMax = delay
        }
    }

    /// `Timing`: `repeat` with period and unit, bounded by a duration or a count.
    private mutating func readTiming(_ timing: JSONValue, _ path: String, _ task: inout ScheduledTask) {
        refuse(["event", "code"], in: timing, path, known: ["repeat", "id", "extension"], warns: true)
        guard let rule = timing["repeat"] else {
            problems.add("there is no repeat", path, timing)
            return
        }
        let path = "\(path).repeat"
        let unknown = (rule.members ?? []).map(\.name).filter {
            !["boundsDuration", "count", "frequency", "period", "periodUnit", "id", "extension"].contains($0)
        }
        for name in unknown { problems.add("\(name.prefix(40)) is not understood", path, rule[name]) }
        if let frequency = rule["frequency"], frequency.integer != 1 {
            problems.add(
                "only a frequency of 1 is understood; shorten the period",
                "\(path).frequency",
                frequency
            )
        }
        guard let period = rule["period"] else {
            for name in ["boundsDuration", "count", "frequency", "periodUnit"] where rule[name] != nil {
                problems.add("\(name) is given without a period", path, rule[name])
            }
            return
        }
        guard
            let repeats = span(
                ["value": period, "code": rule["periodUnit"] ?? .null],
                "\(path).period",
                at: period
            )
        else {
            return
        }
        task.repeats = repeats
        if let bounds = rule["boundsDuration"] { task.expires = span(bounds, "\(path).boundsDuration") }
        guard let count = rule["count"] else { return }
        if rule["boundsDuration"] != nil {
            problems.add("count and boundsDuration are given; one is enough", path, count)
        }
        guard let number = count.integer, (1...10_000).contains(number) else {
            problems.add("a number from 1 to 10000 is expected", "\(path).count", count)
            return
        }
        if !task.starts.isZero {
            problems.add(
                "a count is understood only for what starts at enrolment; use boundsDuration",
                "\(path).count",
                count
            )
            return
        }
        // The last is the first that does not lie before the end.
        let end = repeats * (number - 1)
        if number == 1 {
            task.repeats = nil
        } else if end.isWithinCentury {
            task.expires = end
        } else {
            problems.add("it lasts longer than a century", "\(path).count", count)
        }
    }

    /// A whole number of hours, days, weeks, months or years.
    private mutating func span(_ duration: JSONValue, _ path: String, at location: JSONValue? = nil)
        -> CalendarSpan?
    {
        let unit = duration["code"]?.string ?? duration["unit"]?.string ?? ""
        if let value = duration["value"]?.integer, (0...1_000_000).contains(value) {
            let span: CalendarSpan? =
                switch unit {
                case "h": CalendarSpan(hours: value)
                case "d": CalendarSpan(days: value)
                case "wk": CalendarSpan(days: 7 * value)
                case "mo": CalendarSpan(months: value)
                case "a": CalendarSpan(months: 12 * value)
                default: nil
                }
            if let span, span.isWithinCentury { return span }
        }
        problems.add(
            "a whole number of h, d, wk, mo or a, of at most a century, is expected",
            path,
            location ?? duration
        )
        return nil
    }

    /// Reports members that would change the schedule; with `warns` others that are unknown too.
    private mutating func refuse(
        _ names: Set<String>,
        in json: JSONValue,
        _ path: String,
        known: Set<String>,
        warns: Bool
    ) {
        for member in json.members ?? [] {
            if names.contains(member.name) {
                problems.add("\(member.name) is not understood", "\(path).\(member.name)", member.value)
            } else if warns, !known.contains(member.name) {
                problems.add(
                    "\(member.name.prefix(40)) is not understood and was ignored",
                    path,
                    member.value,
                    isError: false
                )
            }
        }
    }
}
