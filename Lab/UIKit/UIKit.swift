// UIKit.swift: the names that the articles' listings use, for what this project has under other names.

import SwiftRunLoop

typealias NSThread = Thread
typealias NSRunLoop = RunLoop
typealias NSTimer = Timer
typealias NSMachPort = MessagePort
typealias UIScrollView = ScrollView
typealias UIScrollViewDelegate = ScrollViewDelegate
typealias UITableView = TableView
typealias UITableViewCell = TableViewCell
typealias UIButton = Button
typealias UIImageView = ImageView
typealias UIView = View
