import FHIR
import FHIRTables
import OrderedJSON

extension Validation {
    /// Finds the slice of each value, and checks how many each slice has, their order, and the values by
    /// their slice.
    ///
    /// - Parameters:
    ///   - owner: The element that is sliced, or a slice that is sliced again.
    ///   - anchor: What the values are in.
    mutating func slices(
        of values: [ProfileFocus],
        _ profile: Profile,
        _ owner: Profile.Index,
        in anchor: ParsedNode?
    ) {
        let node = profile.nodes[owner]
        var members: [Profile.Index: [ProfileFocus]] = [:]
        var lastPosition = 0
        var hasUnmatched = false
        for value in values where !isStopped {
            guard let anchor = value.anchor, spend(node.slices.count, at: anchor) else { return }
            let found = node.slices.enumerated().filter { slice in
                guard let json = value.json, value.suffix == nil else {
                    return isIn(slice.element, value, profile, node)
                }
                return once(json, by: profile.nodes[slice.element]) {
                    $0.isIn(slice.element, value, profile, node)
                }
            }
            if found.count > 1 {
                let names = found.compactMap { profile.nodes[$0.element].sliceName }.joined(separator: ", ")
                reportSliced(node, value, "matches more than one slice of \(node.source): \(names)")
            }
            guard let slice = found.first else {
                hasUnmatched = true
                if node.slicing?.rules == .closed {
                    reportSliced(
                        node,
                        value,
                        "in no slice of \(node.id), and \(node.source) allows no others"
                    )
                }
                continue
            }
            members[slice.element, default: []].append(value)
            if node.slicing?.rules == .openAtEnd, hasUnmatched {
                reportSliced(
                    node,
                    value,
                    "others than the slices of \(node.id) must be at the end (\(node.source))"
                )
            }
            if node.slicing?.isOrdered == true, slice.offset < lastPosition {
                reportSliced(node, value, "not in the order of the slices of \(node.id) (\(node.source))")
            }
            lastPosition = max(lastPosition, slice.offset)
        }
        for slice in node.slices where !isStopped { check(slice, members[slice] ?? [], profile, in: anchor) }
    }

    private mutating func reportSliced(_ node: ProfileNode, _ value: ProfileFocus, _ text: String) {
        path.pushProfile(node.name, value)
        report(.error, .structure, text, at: value.anchor)
        path.popProfile()
    }

    private mutating func check(
        _ slice: Profile.Index,
        _ values: [ProfileFocus],
        _ profile: Profile,
        in anchor: ParsedNode?
    ) {
        let node = profile.nodes[slice]
        checkCount(of: values, node, "the slice ", minimum: node.minimum, in: anchor)
        for value in values where !isStopped {
            path.pushProfile(node.name, value)
            check(value, profile, slice)
            path.popProfile()
        }
        if !node.slices.isEmpty { slices(of: values, profile, slice, in: anchor) }
    }

    // MARK: Matching

    private mutating func isIn(
        _ slice: Profile.Index,
        _ value: ProfileFocus,
        _ profile: Profile,
        _ owner: ProfileNode
    ) -> Bool {
        let node = profile.nodes[slice]
        if node.sliceName == "@default" { return false }
        if value.code == "Extension", let url = extensionURL(of: slice, profile) {
            return value.json?.member("url")?.string.map { $0.utf8.elementsEqual(url.utf8) } ?? false
        }
        let discriminators = owner.slicing?.discriminators ?? []
        guard !discriminators.isEmpty else {
            // A choice is sliced by its types.
            if value.suffix != nil, !node.types.isEmpty { return node.types.contains { value.isOf($0.code) } }
            return matches(value, profile, slice)
        }
        return discriminators.allSatisfy { isIn(slice, value, profile, by: $0) }
    }

    /// The URL of the extension that a slice of extensions is for.
    private func extensionURL(of slice: Profile.Index, _ profile: Profile) -> String? {
        if let url = profile.fixedURL(of: slice) { return url }
        guard let type = profile.nodes[slice].types.first, type.profiles.count == 1 else { return nil }
        return type.profiles.first.map { String($0.prefix { $0 != "|" }) }
    }

    /// What a slice says at the end of a discriminator's path.
    private enum Expected {
        case node(Profile, Profile.Index)
        /// A part of a value that is fixed, or set as a pattern, further up.
        case value(JSONValue)
        /// The targets of a reference.
        case targets([String])
        /// Nothing.
        case open
    }

    private mutating func isIn(
        _ slice: Profile.Index,
        _ value: ProfileFocus,
        _ profile: Profile,
        by discriminator: ProfileSlicing.Discriminator
    ) -> Bool {
        let found = follow(discriminator.path, from: value)
        let expected = expected(discriminator.path[...], profile, slice)
        switch (discriminator.kind, expected) {
        case (_, .open): return true
        case (.exists, .node(let profile, let index)):
            if profile.nodes[index].maximum == 0 { return found.isEmpty }
            return profile.nodes[index].minimum ?? 0 == 0 || !found.isEmpty
        case (.exists, _): return !found.isEmpty
        case (.type, .node(let profile, let index)):
            let node = profile.nodes[index]
            let types = node.types.isEmpty ? node.slices.flatMap { profile.nodes[$0].types } : node.types
            if types.isEmpty { return true }
            return found.contains { one in types.contains { self.isOf(one, $0) } }
        case (.type, .targets(let urls)):
            return found.contains { one in
                urls.contains { url in
                    options.definitions.profile(url).map { one.type.isNamed($0.type) } ?? false
                }
            }
        case (.profile, .node(let profile, let index)):
            let urls = profile.nodes[index].types.flatMap(\.profiles)
            if urls.isEmpty {
                let types = profile.nodes[index].types
                return types.isEmpty || found.contains { one in types.contains { one.isOf($0.code) } }
            }
            return found.contains { conforms($0, toOneOf: urls) }
        case (.profile, .targets(let urls)): return found.contains { conforms($0, toOneOf: urls) }
        case (.position, _): return true
        case (_, .node(let profile, let index)):
            if profile.nodes[index].maximum == 0 { return found.isEmpty }
            return found.contains { matches($0, profile, index) }
        case (_, .value(let pattern)):
            return found.contains { $0.json.map { ProfileValue.matches($0.value, pattern) } ?? false }
        case (_, .targets): return true
        }
    }

    /// Whether a value is of a type; where the type is a resource's with a profile, of the profile's type.
    private func isOf(_ value: ProfileFocus, _ type: ProfileType) -> Bool {
        guard value.isOf(type.code) else { return false }
        guard value.type.kind == .resource, !type.profiles.isEmpty else { return true }
        return type.profiles.contains { url in
            options.definitions.profile(url).map { value.type.isNamed($0.type) } ?? true
        }
    }

    private mutating func conforms(_ value: ProfileFocus, toOneOf urls: [String]) -> Bool {
        urls.contains { url in target(url).map { conforms(value, to: $0.profile, at: $0.index) } ?? false }
    }

    /// The values at the end of a discriminator's path.
    private mutating func follow(_ steps: [DiscriminatorStep], from value: ProfileFocus) -> [ProfileFocus] {
        var values = [value]
        for step in steps {
            switch step {
            case .element(let name): values = values.flatMap { $0.children(name) }
            case .ofType(let type): values = values.filter { $0.isOf(type) }
            case .extension(let url):
                values = values.flatMap { $0.children("extension") }.filter {
                    $0.json?.member("url")?.string == url
                }
            case .resolve:
                var resources: [ProfileFocus] = []
                for value in values {
                    let text =
                        value.json?.kind == .string
                        ? value.json?.string : value.json?.member("reference")?.string
                    guard let text, let found = resolve(text), let focus = ProfileFocus(resource: found.json)
                    else { continue }
                    resources.append(focus)
                }
                values = resources
            }
        }
        return values
    }

    private func expected(
        _ steps: ArraySlice<DiscriminatorStep>,
        _ profile: Profile,
        _ index: Profile.Index,
        depth: Int = 0
    ) -> Expected {
        guard let step = steps.first else { return .node(profile, index) }
        let node = profile.nodes[index]
        if case .resolve = step {
            let targets = node.types.flatMap(\.targets)
            guard steps.count > 1 else { return targets.isEmpty ? .open : .targets(targets) }
            guard targets.count == 1, depth < 8, let target = options.definitions.profile(targets[0]) else {
                return .open
            }
            return expected(steps.dropFirst(), target, 0, depth: depth + 1)
        }
        if case .ofType = step { return expected(steps.dropFirst(), profile, index, depth: depth) }
        if let child = child(step, of: index, profile) {
            return expected(steps.dropFirst(), profile, child, depth: depth)
        }
        // What all slices of the element say that there must be.
        for slice in node.slices {
            let found = expected(steps, profile, slice, depth: depth)
            if case .open = found { continue }
            return found
        }
        if let value = node.fixed ?? node.pattern {
            return part(steps, of: value).map { .value($0) } ?? .open
        }
        // What the profile of the type says.
        let urls = node.types.flatMap(\.profiles)
        if urls.count == 1, depth < 8, let other = target(urls[0]) {
            return expected(steps, other.profile, other.index, depth: depth + 1)
        }
        return .open
    }

    private func child(_ step: DiscriminatorStep, of index: Profile.Index, _ profile: Profile) -> Profile
        .Index?
    {
        let children = profile.nodes[index].children
        switch step {
        case .element(let name): return children.first { profile.nodes[$0].name == name }
        case .extension(let url):
            guard let main = children.first(where: { profile.nodes[$0].name == "extension" }) else {
                return nil
            }
            return profile.nodes[main].slices.first { extensionURL(of: $0, profile) == url }
        case .resolve, .ofType: return nil
        }
    }

    private func part(_ steps: ArraySlice<DiscriminatorStep>, of value: JSONValue) -> JSONValue? {
        var value = value
        for step in steps {
            guard case .element(let name) = step else { continue }
            let next = value.elements?.first?[name] ?? value[name]
            guard let next else { return nil }
            value = next
        }
        return value.elements?.first ?? value
    }

    /// Whether a value has what a slice says of values: fixed ones, patterns and required codes, its own and
    /// those of the elements in it. Other rules are checked when it is in the slice.
    private mutating func matches(_ value: ProfileFocus, _ profile: Profile, _ index: Profile.Index) -> Bool {
        let node = profile.nodes[index]
        if let fixed = node.fixed {
            return value.json.map { ProfileValue.isEqual($0.value, fixed) } ?? false
        }
        if let pattern = node.pattern {
            return value.json.map { ProfileValue.matches($0.value, pattern) } ?? false
        }
        if let binding = node.binding, binding.strength == .required, let json = value.json {
            if isMember(json, value, of: binding.valueSet) == .some(false) { return false }
        }
        if value.suffix != nil {
            for slice in node.slices where profile.nodes[slice].types.contains(where: { value.isOf($0.code) })
            {
                guard matches(value, profile, slice) else { return false }
            }
        }
        for child in node.children where profile.saysValues(child) {
            let values = value.children(profile.nodes[child].name)
            if values.isEmpty {
                if profile.nodes[child].minimum ?? 0 > 0 { return false }
                continue
            }
            let slices = profile.nodes[child].slices.filter { (profile.nodes[$0].minimum ?? 0) > 0 }
            if !profile.nodes[child].isPlain || values[0].suffix != nil {
                guard values.contains(where: { matches($0, profile, child) }) else { return false }
            }
            for slice in slices where profile.saysValues(slice) {
                guard values.contains(where: { matches($0, profile, slice) }) else { return false }
            }
        }
        return true
    }
}

extension Profile {
    /// Whether a node or one in it says something of values.
    func saysValues(_ index: Index) -> Bool {
        let node = nodes[index]
        return !node.isPlain || node.children.contains(where: saysValues)
            || node.slices.contains(where: saysValues)
    }
}

extension ProfileNode {
    /// Whether it says nothing of the value itself.
    var isPlain: Bool { fixed == nil && pattern == nil && binding?.strength != .required && children.isEmpty }
}
