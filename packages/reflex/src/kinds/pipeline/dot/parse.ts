import type { Fault } from '../../../kernel/journal/fault.ts'
import { Blocks } from './blocks.ts'
import { Cursor } from './cursor.ts'
import type { DotGraph } from './graph.ts'
import { Names, type Name } from './names.ts'
import { Scopes } from './scopes.ts'
import { DotProblems } from './problems.ts'
import { Statements } from './statements.ts'
import { checkArguments, TEXT } from '../../../text/index.ts'
import { SOME_OPTIONS } from './argument-forms.ts'

/** How a pipeline text is read. */
export interface DotOptions {
  /** Go on after a mistake, and report all of them. */
  readonly accumulateErrors?: boolean | undefined
  /** Hold the text to the seed's grammar to the letter: what real files need beyond it is an error. */
  readonly strictGrammar?: boolean | undefined
  /** The name of the text, for faults. */
  readonly file?: string | undefined
}

/** A text as it was read. */
export interface DotParse {
  /** Absent after an error, unless errors are accumulated and the text begins as a graph at all. */
  readonly graph: DotGraph | undefined
  /** In the order of the text; without accumulation the first alone. */
  readonly errors: readonly Fault[]
  /** Warnings and remarks (`duplicate_attr`, `missing_comma`), in the order of the text. */
  readonly warnings: readonly Fault[]
}

/**
 * Reads a pipeline, in one pass and in time linear in the text (seed pipeline 2; reference pipeline 1). Never throws for
 * what the text says. Spans count from behind a byte order mark, as in `Source`.
 */
export function parseDot(source: string, options: DotOptions = {}): DotParse {
  checkArguments('parseDot', { source: [source, TEXT], options: [options, SOME_OPTIONS] })
  const text = source.startsWith('\ufeff') ? source.slice(1) : source
  const problems = new DotProblems()
  const cursor = new Cursor(text, problems, { accumulate: options.accumulateErrors ?? false, strict: options.strictGrammar ?? false })
  const graph = new Parser(cursor).graph()
  const faults = problems.faults(text, options.file)
  const errors = faults.filter((fault) => fault.severity === 'error')
  const warnings = faults.filter((fault) => fault.severity !== 'error')
  return { graph: cursor.stopped ? undefined : graph, errors, warnings }
}

/** Reads a pipeline; throws its first fault. With `accumulateErrors` it throws nothing and gives the faults with what could be read. */
export function parse(source: string, options: DotOptions & { readonly accumulateErrors: true }): DotParse
export function parse(source: string, options?: DotOptions): DotGraph
export function parse(source: string, options: DotOptions = {}): DotGraph | DotParse {
  const parsed = parseDot(source, options)
  if (options.accumulateErrors) return parsed
  if (parsed.graph === undefined) throw parsed.errors[0] ?? new TypeError('a text without errors has a graph')
  return parsed.graph
}

const QUOTE = 34
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/** One text from its head to its end. Subgraphs are a stack of scopes, never recursion: depth costs no call stack. */
class Parser {
  readonly #cursor: Cursor
  readonly #names: Names
  readonly #blocks: Blocks
  #scopes = new Scopes(0)

  constructor(cursor: Cursor) {
    this.#cursor = cursor
    this.#names = new Names(cursor)
    this.#blocks = new Blocks(cursor, this.#names)
  }

  graph(): DotGraph | undefined {
    const id = this.#head()
    if (id === undefined) return undefined
    this.#body()
    this.#blocks.finish()
    if (this.#scopes.isExcessive) this.#reportExcess()
    return this.#scopes.finish(id)
  }

  /** `digraph Name {`; its name, or nothing if the text does not begin as a graph. */
  #head(): string | undefined {
    const cursor = this.#cursor
    let word = this.#word()
    if (word?.text === 'strict') {
      const message = 'pipelines know no strict graphs: two edges may join the same two nodes'
      cursor.error({ code: 'R1102', from: word.from, to: word.to, message, fix: 'leave "strict" out' })
      word = this.#word()
    }
    if (word?.text === 'graph') {
      const message = 'the edges of a pipeline are directed, and this graph is not'
      cursor.error({ code: 'R1102', from: word.from, to: word.to, message, fix: 'write digraph, and -> for --' })
    } else if (word?.text !== 'digraph') {
      const blank = Number.isNaN(cursor.next()) && word === undefined
      const message = blank ? 'the text is empty' : 'a pipeline begins with "digraph", a name and a brace'
      const { from, to } = word ?? { from: cursor.at, to: cursor.at + 1 }
      cursor.error({ code: 'R1100', from, to, message, fix: 'write digraph name { … }' })
      return undefined
    }
    return this.#opening()
  }

  /** The name and the brace behind `digraph`; one that is missing is an error, and taken as there. */
  #opening(): string {
    const cursor = this.#cursor
    const name = this.#names.read(cursor.next())
    const { at } = cursor
    if (name === undefined)
      cursor.error({ code: 'R1100', from: at, to: at + 1, message: 'the graph has no name', fix: 'write digraph name {' })
    else this.#names.check(name, 'id')
    if (cursor.next() === OPEN_BRACE) this.#scopes = new Scopes(cursor.at++)
    else {
      cursor.swallowed = true
      cursor.error({
        code: 'R1100',
        from: cursor.at,
        to: cursor.at + 1,
        message: 'the graph has no opening brace',
        fix: 'write digraph name {',
      })
    }
    return name?.text ?? 'G'
  }

  #word(): Name | undefined {
    const code = this.#cursor.next()
    return code === QUOTE || Number.isNaN(code) ? undefined : this.#names.read(code)
  }

  /** All statements, up to the end of the text: what stands behind the last brace is an error, and read all the same. */
  #body(): void {
    const cursor = this.#cursor
    const statements = new Statements(cursor, this.#names, this.#blocks, this.#scopes)
    let closed = false
    let isReported = false
    for (;;) {
      const code = cursor.next()
      if (cursor.stopped) return
      if (Number.isNaN(code)) break
      if (closed && !isReported) {
        isReported = true
        if (this.#reportTrailing()) return
      }
      if (code !== CLOSE_BRACE || this.#scopes.depth > 1) statements.read(code)
      else {
        closed = true
        cursor.at++
      }
    }
    if ((closed && this.#scopes.depth === 1) || cursor.swallowed) return
    const { openedAt } = this.#scopes
    cursor.error({ code: 'R1101', from: openedAt, to: openedAt + 1, message: 'this brace is never closed', fix: 'close it with }' })
  }

  /** Reports text behind the closing brace; whether it is another graph. */
  #reportTrailing(): boolean {
    const cursor = this.#cursor
    const from = cursor.at
    const graph = /^(?:strict|digraph|graph)\b/.exec(cursor.text.slice(from, from + 8))
    const to = from + (graph?.[0].length ?? 1)
    if (graph === null) {
      const message = 'this stands behind the closing brace of the graph'
      cursor.error({ code: 'R1100', from, to, message, fix: 'remove it, or the brace before it' })
    } else
      cursor.error({ code: 'R1102', from, to, message: 'a text holds one graph, and this is a second', fix: 'put it in a file of its own' })
    return graph !== null
  }

  #reportExcess(): void {
    const message = 'the defaults and subgraphs of this text give its nodes more attributes and groups than fit in memory'
    this.#cursor.error({ code: 'R1100', from: 0, to: 7, message, fix: 'write fewer defaults, or nest less' })
  }
}
