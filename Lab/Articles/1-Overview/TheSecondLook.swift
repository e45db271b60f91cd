// Article 1, 〈_CFRunLoopGet0方法〉: 1.5.
//
// _CFRunLoopGet0 as listed, gone through by two threads in every order of their steps; then without its precautions; then the library's.
// What to see: one loop a thread in every order, and what the second look and the release outside of the lock are for.
// The listing itself is in Lab/CArticles/ArticleRegistry.c.

import CArticles
import CRunLoop
import Glibc
import SwiftRunLoop
import Synchronization

struct TheSecondLook: Program {
    let about = About(article: "1.5", seconds: 0.6, isPair: true)

    func run() {
        form == .asWritten ? listing() : library()
    }

    private func listing() {
        let forms = [("as listed", Text("As listed", "照文章的代码"), ArticleGet0Form.asListed),
                     ("without the second look", Text("Without the second look", "去掉第二次查找"), .withoutSecondLook),
                     ("releasing inside", Text("Releasing inside the lock", "在锁内释放"), .releasesInside)]
        for (name, title, form) in forms {
            for isOneKey in [false, true] {
                let result = ArticleGet0InEveryOrder(form, isOneKey)
                let asked = isOneKey ? Text("both ask for the first one's loop", "都获取第一个线程的 RunLoop") : Text("each asks for its own", "各自获取自己的")
                NSLog(Text("\(title), \(asked):", "\(title)，\(asked)：").description)
                NSLog(Text("    \(result.orders) orders of steps; \(result.ordersWithTwoLoops) end with two loops for one thread",
                           "    步骤共有 \(result.orders) 种顺序；其中 \(result.ordersWithTwoLoops) 种让一个线程有两个 RunLoop").description)
                NSLog(Text("    in vain: \(result.lostDictionaries) dictionaries, \(result.lostLoops) loops; waited for a lock that they held: \(result.ownLocks) times",
                           "    白做的：\(result.lostDictionaries) 个字典、\(result.lostLoops) 个 RunLoop；等待自己持有的锁：\(result.ownLocks) 次").description)
                lab.observe("\(name): orders", value: Double(result.orders))
                lab.observe("\(name): two loops", value: Double(result.ordersWithTwoLoops + result.ordersWithWrongCount))
                lab.observe("\(name): dictionaries left", value: Double(result.dictionaries - result.releasedDictionaries))
                lab.observe("\(name): loops left", value: Double(result.loops - result.deallocatedLoops + result.deallocatedTwice))
                lab.observe("\(name): made in vain", value: Double(result.lostDictionaries + result.lostLoops))
                lab.observe("\(name): own lock", value: Double(result.ownLocks))
            }
        }
    }

    /// The library's function in two threads, again and again: the orders come by chance.
    private func library() {
        for _ in 1...50 {
            let found = Mutex<[String: Set<Int>]>([:])
            let begin = Counter(), end = Counter()
            let threads = ["first", "second"].map { name in
                NSThread {
                    arrive(begin)
                    let loop = address(of: _CFRunLoopGet0(pthread_self())!), main = address(of: _CFRunLoopGet0(pthread_t(0))!)
                    found.withLock {
                        $0[name, default: []].formUnion([loop, address(of: CFRunLoopGetCurrent()!)])
                        $0["main", default: []].insert(main)
                    }
                    arrive(end) // while both loops exist
                }
            }
            threads.forEach { $0.start() }
            lab.waitUntil { threads.allSatisfy(\.isFinished) }
            let loops = found.withLock { $0 }
            let isOne = loops.count == 3 && loops.values.allSatisfy { $0.count == 1 } && Set(loops.values.flatMap { $0 }).count == 3
            lab.observe("library", isOne ? "one loop a thread" : "other")
        }
        NSLog(Text("\(lab.times("library")) times, two threads and the main thread have one loop each",
                   "\(lab.times("library")) 次，两个线程和主线程各有一个 RunLoop").description)
    }

    /// Lets both threads go on when both have arrived.
    private func arrive(_ arrived: Counter) {
        arrived.add()
        while arrived.value < 2 { usleep(100) }
    }

    func judge() {
        if form == .cured {
            return lab.expectFound(Text("two threads and the main thread have three loops, one each, whoever asks", "两个线程和主线程各有一个 RunLoop，谁来获取都一样"),
                                   of: "library", Array(repeating: "one loop a thread", count: 50))
        }
        func zero(_ claimant: some Claimant, _ claim: Text, _ name: String) {
            claimant.expect(claim, of: name, is: [0, 0]) { $0.values.map { Int($0) } }
        }
        zero(lab.article, Text("one loop a thread in every order", "任何顺序下，每条线程只有一个 RunLoop"), "as listed: two loops")
        zero(lab.article, Text("each loop is destroyed once, with its thread", "每个 RunLoop 随线程销毁，恰好一次"), "as listed: loops left")
        zero(lab, Text("one dictionary stays; those made in vain are released once", "只留下一个字典，白做的都恰好释放一次"), "as listed: dictionaries left")
        zero(lab, Text("no thread waits for the lock that it holds", "没有线程等待自己持有的锁"), "as listed: own lock")
        func some(_ claim: Text, _ name: String) {
            lab.expect(claim, of: name, isIn: 1...100_000, unit: .none, places: 0) { $0.values.max() }
        }
        some(Text("there are more than a hundred orders", "有一百多种顺序"), "as listed: orders")
        some(Text("in some of them dictionaries and loops are made in vain", "其中一些顺序会白做字典和 RunLoop"), "as listed: made in vain")
        some(Text("without the second look a thread gets two loops in some orders", "去掉第二次查找，某些顺序下一个线程会得到两个 RunLoop"), "without the second look: two loops")
        some(Text("releasing inside the lock, a thread waits for the lock that it holds", "在锁内释放，线程会等待自己持有的锁"), "releasing inside: own lock")
    }
}
