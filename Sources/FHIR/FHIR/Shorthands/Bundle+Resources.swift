/// `Bundle`, for files that import Foundation too, which has another.
public typealias FHIRBundle = Bundle

extension Bundle {
    /// The resources of a type, in the order of the entries.
    public func resources<Resource: FHIRResource>(of type: Resource.Type) -> [Resource] {
        tree.elements(of: "entry").compactMap {
            $0.member("resource").flatMap(Resource.init(tree:))
        }
    }

    public init(type: BundleType, resources: [AnyResource]) {
        self.init(type: type)
        entry = resources.map { resource in
            var entry = Entry()
            entry.resource = resource
            return entry
        }
    }
}
