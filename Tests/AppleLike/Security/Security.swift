import Foundation
import Synchronization

// Stands for the part of Apple's Security that `Keychain` calls, so that Linux compiles and runs it: the same
// names, and generic passwords in memory. What is not asked of the real one as its documentation says gets
// `errSecParam`.

public typealias CFString = NSString
public typealias CFDictionary = NSDictionary
public typealias CFTypeRef = AnyObject
public typealias OSStatus = Int32

public let errSecSuccess: OSStatus = 0
public let errSecParam: OSStatus = -50
public let errSecDuplicateItem: OSStatus = -25299
public let errSecItemNotFound: OSStatus = -25300

// Computed, so that nothing is shared; the SDK has constants.
public var kSecClass: CFString { "class" }
public var kSecClassGenericPassword: CFString { "genp" }
public var kSecAttrService: CFString { "svce" }
public var kSecAttrAccount: CFString { "acct" }
public var kSecAttrAccessGroup: CFString { "agrp" }
public var kSecAttrAccessible: CFString { "pdmn" }
public var kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString { "cku" }
public var kSecUseDataProtectionKeychain: CFString { "nleg" }
public var kSecValueData: CFString { "v_Data" }
public var kSecReturnData: CFString { "r_Data" }
public var kSecReturnAttributes: CFString { "r_Attributes" }
public var kSecMatchLimit: CFString { "m_Limit" }
public var kSecMatchLimitOne: CFString { "m_LimitOne" }
public var kSecMatchLimitAll: CFString { "m_LimitAll" }

/// What tells one generic password from another.
private struct Item: Hashable {
    var service: String
    var group: String
    /// Nil in a query for all.
    var account: String?

    init?(_ query: CFDictionary) {
        guard query[kSecClass] as? CFString == kSecClassGenericPassword,
            let service = query[kSecAttrService] as? String
        else { return nil }
        self.service = service
        group = query[kSecAttrAccessGroup] as? String ?? ""
        account = query[kSecAttrAccount] as? String
    }
}

private let items = Mutex<[Item: Data]>([:])

public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    write(attributes, attributes, ifPresent: false)
}

public func SecItemUpdate(_ query: CFDictionary, _ attributes: CFDictionary) -> OSStatus {
    write(query, attributes, ifPresent: true)
}

private func write(_ query: CFDictionary, _ attributes: CFDictionary, ifPresent: Bool) -> OSStatus {
    guard let item = Item(query), item.account != nil, let data = attributes[kSecValueData] as? Data else {
        return errSecParam
    }
    return items.withLock { items in
        guard (items[item] != nil) == ifPresent else {
            return ifPresent ? errSecItemNotFound : errSecDuplicateItem
        }
        items[item] = data
        return errSecSuccess
    }
}

public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    guard let item = Item(query), item.account != nil else { return errSecParam }
    return items.withLock { $0.removeValue(forKey: item) } == nil ? errSecItemNotFound : errSecSuccess
}

public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?)
    -> OSStatus
{
    guard let item = Item(query), let result else { return errSecParam }
    let wantsData = query[kSecReturnData] as? Bool == true
    guard query[kSecMatchLimit] as? CFString == kSecMatchLimitAll else {
        guard wantsData, item.account != nil else { return errSecParam }
        guard let data = items.withLock({ $0[item] }) else { return errSecItemNotFound }
        result.pointee = data as NSData
        return errSecSuccess
    }
    // Of generic passwords the real one returns either all, or the data.
    guard !wantsData, query[kSecReturnAttributes] as? Bool == true, item.account == nil else {
        return errSecParam
    }
    let accounts = items.withLock { $0.keys.filter { $0.service == item.service && $0.group == item.group } }
        .compactMap(\.account)
    guard !accounts.isEmpty else { return errSecItemNotFound }
    result.pointee = accounts.map { [kSecAttrAccount as String: $0] } as NSArray
    return errSecSuccess
}

public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
    status == errSecParam ? "One or more parameters passed to a function were not valid." : nil
}
