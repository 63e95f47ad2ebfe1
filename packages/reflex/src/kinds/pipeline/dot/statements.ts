import { quote } from '../../../text/index.ts'
import type { Blocks } from './blocks.ts'
import type { Cursor } from './cursor.ts'
import type { Name, Names } from './names.ts'
import type { Scopes } from './scopes.ts'

const COMMA = 44
const MINUS = 45
const COLON = 58
const SEMICOLON = 59
const EQUALS = 61
const GREATER = 62
const OPEN = 91
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/** The marks that end a statement that cannot be read, besides the end of its line. */
const ENDS = ';{}'

/** Reads the statements of a graph and of its subgraphs into its scopes (reference pipeline 1.2). */
export class Statements {
  readonly #cursor: Cursor
  readonly #names: Names
  readonly #blocks: Blocks
  readonly #scopes: Scopes
  /** The depth of a group that an edge leads to. It is already refused, so the text behind it is not reported again. */
  #refusedGroup = 0

  constructor(cursor: Cursor, names: Names, blocks: Blocks, scopes: Scopes) {
    this.#cursor = cursor
    this.#names = names
    this.#blocks = blocks
    this.#scopes = scopes
    cursor.depth = scopes.depth
  }

  /** Reads the statement that begins here with this character code, or the beginning or end of a subgraph. */
  read(code: number): void {
    const cursor = this.#cursor
    if (code === SEMICOLON) cursor.at++
    else if (code === CLOSE_BRACE) this.#close()
    else if (code === OPEN_BRACE) {
      cursor.checkStrict(cursor.at, cursor.at + 1, 'a group without "subgraph"', 'write subgraph before the brace')
      this.#open(undefined)
    } else {
      const name = this.#names.read(code)
      if (name === undefined) this.#skipUnreadable(code)
      else this.#namedStatement(name)
    }
  }

  #namedStatement(name: Name): void {
    const cursor = this.#cursor
    const code = cursor.next()
    if (code === EQUALS) {
      this.#blocks.assign(name, this.#scopes.attributes, 'own')
      return
    }
    if (!name.quoted && this.#keywordStatement(name.text, code)) return
    this.#names.check(name, 'id')
    if (code === COLON) this.#refusePort()
    if (this.#isEdge()) this.#chain(name)
    else this.#node(name)
  }

  /** Reads the statement of a keyword. Returns false if the word is an ordinary id (reference pipeline 1.1 L9). */
  #keywordStatement(word: string, code: number): boolean {
    if (word === 'subgraph') return this.#subgraph(code)
    if (code !== OPEN) return false
    if (word === 'graph') this.#blocks.read(this.#scopes.attributes, 'own')
    else if (word === 'node' || word === 'edge') {
      const defaults = this.#scopes.copyDefaults(word)
      this.#blocks.read(defaults, 'default')
      this.#scopes.setDefaults(word, defaults)
    } else return false
    return true
  }

  #node(name: Name): void {
    const node = this.#scopes.declare(name.text, name.from, name.to)
    if (this.#cursor.code() === OPEN) this.#blocks.read(this.#scopes.writableAttributes(node), 'own')
  }

  /** Reads `a -> b -> c [...]`. Every edge of the chain gets the attributes. */
  #chain(first: Name): void {
    const scopes = this.#scopes
    const names = [first]
    while (this.#isEdge()) {
      const target = this.#target()
      if (target === undefined) break
      names.push(target)
    }
    const attributes = this.#cursor.code() === OPEN ? scopes.copyDefaults('edge') : undefined
    if (attributes !== undefined) this.#blocks.read(attributes, 'own')
    let before: Name | undefined
    let from = ''
    for (const name of names) {
      const to = scopes.mention(name.text, name.from, name.to)
      if (before !== undefined) scopes.connect(from, to, attributes, { from: before.from, to: name.to })
      before = name
      from = to
    }
  }

  /** True if `->` is here. `--` is an error and is read as `->`. */
  #isEdge(): boolean {
    const cursor = this.#cursor
    if (cursor.next() !== MINUS) return false
    const { at } = cursor
    if (cursor.code(1) === GREATER) return true
    if (cursor.code(1) !== MINUS) return false
    cursor.error({ code: 'R1102', from: at, to: at + 2, message: 'the edges of a pipeline are directed', fix: 'write ->' })
    return !cursor.stopped
  }

  /** Reads the node behind an arrow. Returns undefined, with an error, if there is no node. */
  #target(): Name | undefined {
    const cursor = this.#cursor
    const arrow = cursor.at
    cursor.at += 2
    const code = cursor.next()
    const { at } = cursor
    const name = Number.isNaN(code) ? undefined : this.#names.read(code)
    if (code === OPEN_BRACE || (name?.text === 'subgraph' && !name.quoted && this.#isGroup())) {
      cursor.at = at
      const message = 'an edge leads to one node, not to a group'
      cursor.error({ code: 'R1102', from: arrow, to: at + 1, message, fix: 'write an edge for each node' })
      this.#refusedGroup = this.#scopes.depth + 1
      return undefined
    }
    if (name === undefined) {
      cursor.error({
        code: 'R1100',
        from: arrow,
        to: arrow + 2,
        message: 'an edge needs a node behind its arrow',
        fix: 'write the id of a node',
      })
      return undefined
    }
    this.#names.check(name, 'id')
    if (cursor.next() === COLON) this.#refusePort()
    return name
  }

  /** Reports and skips `:port` and `:port:direction`. */
  #refusePort(): void {
    const cursor = this.#cursor
    const from = cursor.at
    while (cursor.next() === COLON) {
      cursor.at++
      const code = cursor.next()
      if (Number.isNaN(code) || this.#names.read(code) === undefined) break
    }
    cursor.error({ code: 'R1102', from, to: cursor.at, message: 'the nodes of a pipeline have no ports', fix: 'remove it' })
    cursor.next()
  }

  /** Opens a subgraph if a brace, or a name and a brace, follow the word. Returns false if the word is an ordinary id. */
  #subgraph(code: number): boolean {
    const cursor = this.#cursor
    const { at } = cursor
    if (code === OPEN_BRACE) {
      this.#open(undefined)
      return true
    }
    if (!this.#isGroup()) return false
    cursor.at = at
    const name = this.#names.read(code)
    if (name !== undefined) this.#names.check(name, 'id')
    cursor.next()
    this.#open(name?.text)
    return true
  }

  /** True if a brace, or a name and a brace, are here. It looks ahead without moving. */
  #isGroup(): boolean {
    const cursor = this.#cursor
    const { at } = cursor
    const code = cursor.next()
    let group = code === OPEN_BRACE
    if (!group && !Number.isNaN(code) && this.#names.read(code) !== undefined) group = cursor.next() === OPEN_BRACE
    if (!cursor.stopped) cursor.at = at
    return group
  }

  #open(id: string | undefined): void {
    const cursor = this.#cursor
    this.#scopes.open(id, cursor.at++)
    cursor.depth = this.#scopes.depth
  }

  #close(): void {
    const cursor = this.#cursor
    const refused = this.#refusedGroup === this.#scopes.depth
    cursor.at++
    this.#scopes.close()
    cursor.depth = this.#scopes.depth
    if (refused) this.#refusedGroup = 0
    const code = cursor.next()
    if (code !== OPEN && code !== MINUS) return
    if (!refused) {
      const message = code === OPEN ? 'attributes cannot follow a group' : 'an edge leaves one node, not a group'
      const fix = code === OPEN ? 'write graph [...] inside its braces' : 'write an edge for each node'
      cursor.error({ code: 'R1102', from: cursor.at, to: cursor.at + 1, message, fix })
    }
    cursor.recover(ENDS)
  }

  #skipUnreadable(code: number): void {
    const cursor = this.#cursor
    const { at } = cursor
    const { message, fix } = explainUnreadable(cursor.text, at, code)
    cursor.error({ code: 'R1100', from: at, to: at + 1, message, fix })
    // A comma is often between node ids; each id is then read as its own statement.
    if (code === COMMA) cursor.at++
    else cursor.recover(ENDS)
  }
}

/** Returns the message and fix for a character that begins no statement. */
function explainUnreadable(text: string, at: number, code: number): { message: string; fix: string } {
  const shown = quote(String.fromCodePoint(text.codePointAt(at) ?? 0))
  if (code === COMMA) return { message: 'a comma separates attributes, not statements', fix: 'write a semicolon or a new line' }
  if (code === OPEN) return { message: 'these attributes belong to nothing', fix: 'put them behind a node or at the end of an edge' }
  if (code === MINUS && text.charCodeAt(at + 1) === GREATER) {
    return { message: 'an edge begins with the id of a node', fix: 'write the id before the arrow; attributes come last' }
  }
  if (code === OPEN + 2) return { message: 'this bracket closes nothing', fix: 'remove it' }
  return { message: `no statement begins with ${shown}`, fix: 'write texts in double quotes, and comments behind //' }
}
