import Foundation
import HTTPCalls
import IndivoBase

/// Where a queue of SQS is, and what it needs beside it.
public struct SQSConfiguration: Sendable, Hashable {
    /// The queue, as in `https://sqs.eu-central-1.amazonaws.com/123456789012/study`; FIFO when its name ends
    /// with `.fifo`.
    public var queue: URL
    /// Amazon's region.
    public var region: String
    /// The bucket for messages that are too large for a queue.
    public var bucket: String
    /// The address of S3.
    public var objects: URL
    /// The name of the queue of dead letters; without it, the one that the queue's redrive policy has.
    public var deadLetters: String?

    /// Reads a URL with settings behind it.
    ///
    /// - Parameters:
    ///   - text: A queue's URL, and `?bucket=NAME`, with `&dead=NAME`, `&region=NAME` and `&s3=URL` where
    ///     they are needed.
    ///   - environment: May have `AWS_REGION` or `AWS_DEFAULT_REGION`, for an address without a region in it.
    /// - Throws: ``AWSError/badInput(_:)``
    public init(parsing text: String, environment: [String: String] = [:]) throws(AWSError) {
        let parts = text.split(separator: "?", maxSplits: 1)
        let settings = FormParameters(decoding: parts.count > 1 ? String(parts[1]) : "")
        guard let url = parts.first.flatMap({ URL(string: String($0)) }), url.scheme != nil,
            let host = url.host(),
            url.path().split(separator: "/").count == 2, text.utf8.count <= 4096
        else {
            throw .badInput(
                """
                this is no queue of SQS; it looks like \
                sqs:https://sqs.eu-central-1.amazonaws.com/123456789012/study?bucket=NAME
                """
            )
        }
        if let unknown = settings.first(where: { !["bucket", "dead", "region", "s3"].contains($0.name) }) {
            throw .badInput(
                "“\(unknown.name.prefix(40))” is no setting of SQS; there are bucket, dead, region and s3"
            )
        }
        queue = url
        let names = host.split(separator: ".")
        let isAmazons = host.contains(".amazonaws.com") && names.count > 2
        let ofHost =
            isAmazons
            ? (names[0] == "sqs" ? String(names[1]) : names[1] == "queue" ? String(names[0]) : nil) : nil
        guard
            let region = settings["region"] ?? ofHost ?? environment["AWS_REGION"]
                ?? environment["AWS_DEFAULT_REGION"],
            Self.isName(region)
        else {
            throw .badInput("the region of SQS is missing; set AWS_REGION, or add region=NAME to the URL")
        }
        self.region = region
        guard let bucket = settings["bucket"], Self.isName(bucket) else {
            throw .badInput("large messages need a bucket of S3; add ?bucket=NAME to the URL")
        }
        self.bucket = bucket
        let ending = host.hasSuffix(".cn") ? ".cn" : ""
        guard let objects = URL(string: settings["s3"] ?? "https://s3.\(region).amazonaws.com\(ending)"),
            objects.host() != nil
        else { throw .badInput("the s3 of the URL is no URL") }
        self.objects = objects
        deadLetters = settings["dead"]
        guard deadLetters.map(Self.isName) ?? true else {
            throw .badInput("the dead of the URL is no name of a queue")
        }
    }

    private static func isName(_ text: String) -> Bool {
        (1...80).contains(text.utf8.count)
            && text.utf8.allSatisfy { PercentEncoding.isUnreserved($0) && $0 != UInt8(ascii: "~") }
            && !text.contains("..")
    }

    static func server(_ url: URL) throws(AWSError) -> ServerAddress {
        do { return try ServerAddress(url, plainHTTPHosts: []) } catch { throw .badInput("\(error)") }
    }
}
