import { type Fault, type FunctionPin, isFault, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { didYouMean, quote, suggest } from '../../../text/index.ts'
import { type SchemaRegistry, schemaOf, type TreeSchema } from '../board/schema.ts'
import type { NodeManifest } from '../manifest/manifest.ts'
import { faults } from '../model/faults.ts'
import type { BoardKey, NodeSource, TreeSource } from '../model/source.ts'
import { programName } from '../nodes/call.ts'
import { interpolatedKeys } from '../nodes/interpolate.ts'
import { outputOf } from '../nodes/tool.ts'
import { withOnFailure } from '../nodes/with-on-failure.ts'
import { type CodePlace, type ConditionCode, conditionCode, dataCode, type ExpressionCode } from './code.ts'
import type { Assignments, CompiledNode, CompiledTree, NodeConditions } from './compiled.ts'
import { pinOfPure, pureFunction, type PureFunction, type PureFunctions } from './pure-functions.ts'
import { textOf } from '../model/text-of.ts'

/** What a host adds to trees. */
export interface CompileOptions {
  /** The manifests by type. */
  readonly nodes: ReadonlyMap<string, NodeManifest>
  readonly schemas?: SchemaRegistry | undefined
  /** The functions that run in the step. */
  readonly pure?: PureFunctions | undefined
}

/** The versions of functions that a run has pinned. Absent: the current ones. */
interface Pinned {
  readonly pinned?: readonly FunctionPin[] | undefined
}

/**
 * Prepares a tree: finds the manifests, fills in defaults, reads conditions and schemas. Its source was checked when it was read, so a problem
 * is one of a host that lacks what the tree needs, or of a changed file: it throws the first one.
 */
export function compileTree(source: TreeSource, options: CompileOptions & Pinned): CompiledTree {
  return compileFile(source, options, new Map())
}

/** The mark of a stored tree whose text a run wrote. */
interface Authored {
  readonly author?: 'untrusted'
}

/** `trees`: those of the file, which may refer to each other. */
function compileFile(source: TreeSource, options: CompileOptions & Pinned, trees: Map<string, CompiledTree>): CompiledTree {
  const inner = Object.entries(source.trees ?? {}).filter(([name]) => !trees.has(name))
  const names = new Set([...trees.keys(), ...inner.map(([name]) => name)])
  for (const [name, tree] of inner)
    trees.set(
      name,
      new Compiler({ ...tree, ...authorOf(source), file: tree.file ?? source.file } as TreeSource, options, names).compile(trees),
    )
  return new Compiler(source, options, names).compile(trees)
}

class Compiler {
  readonly #source: TreeSource
  readonly #options: CompileOptions & Pinned
  readonly #code = new Map<string, ConditionCode>()
  readonly #schemas = new Map<string, TreeSchema>()
  readonly #refs = new Set<string>()
  readonly #lazyRefs = new Set<string>()
  readonly #calls = new Set<string>()
  readonly #warnings: Fault[] = []
  readonly #pure = new Map<string, PureFunction>()
  readonly #streams = new Set<string>()
  readonly #read = new Set<string>()
  /** Code may read any key. */
  #hasCode = false
  #readsEvents = false

  /** The names of the trees of the file. */
  readonly #names: ReadonlySet<string>

  constructor(source: TreeSource, options: CompileOptions & Pinned, names: ReadonlySet<string>) {
    this.#source = source
    this.#names = names
    this.#options = options
  }

  compile(trees: ReadonlyMap<string, CompiledTree>): CompiledTree {
    const { id, board = {}, contract, root, on_failure, recovery_tree } = this.#source
    const defaults: Record<string, Json> = {}
    for (const [key, { type = 'any', default: first }] of Object.entries<BoardKey>(board)) {
      this.#schemas.set(key, schemaOf(type, this.#options.schemas))
      if (first !== undefined) defaults[key] = first
    }
    for (const keys of [contract?.inputs, contract?.optional_inputs, contract?.outputs, contract?.inouts])
      for (const [key, type] of Object.entries(keys ?? {}))
        if (!this.#schemas.has(key)) this.#schemas.set(key, schemaOf(type, this.#options.schemas))
    const first = this.#node(root)
    if (recovery_tree !== undefined) this.#calls.add(programName(recovery_tree))
    return {
      id,
      source: this.#source,
      root: on_failure === undefined ? first : withFailureNode(first, this.#node(on_failure)),
      schemas: this.#schemas,
      defaults,
      code: this.#code,
      trees,
      refs: outside([...this.#refs], trees, this.#names, ({ refs }) => refs),
      lazyRefs: [...this.#lazyRefs],
      calls: outside([...this.#calls], trees, NO_NAMES, ({ calls }) => calls),
      outputs: contract === undefined ? undefined : [...Object.keys(contract.outputs ?? {}), ...Object.keys(contract.inouts ?? {})],
      pure: this.#pure,
      functions: pinned(this.#pure, trees),
      readsGlobals: Object.values(board).some(({ global: isGlobal }) => isGlobal === true),
      streams: this.#streams,
      reads: this.#readKeys(),
      readsEvents: this.#source.events ?? this.#readsEvents,
      warnings: this.#warnings,
      isUntrusted: authorOf(this.#source).author === 'untrusted',
    }
  }

  #readKeys(): ReadonlySet<string> | undefined {
    for (const code of this.#code.values()) {
      if (code.is !== 'expression') return undefined
      for (const key of code.reads) this.#read.add(key)
    }
    return this.#hasCode ? undefined : this.#read
  }

  #node(source: NodeSource): CompiledNode {
    const manifest = this.#options.nodes.get(source.type)
    if (manifest === undefined) throw this.#unknownType(source)
    const defaults = Object.fromEntries(
      manifest.parameters.flatMap(({ name, default: value }) => (value === undefined ? [] : [[name, value]])),
    )
    const params: JsonObject = { ...defaults, ...source.params }
    const place: CodePlace = { file: this.#source.file, line: source.line }
    for (const parameter of manifest.parameters) {
      const value = params[parameter.name]
      if (value === undefined) continue
      if (parameter.type === 'condition') this.#readCondition(source, value, { ...place, line: source.code_line ?? source.line })
      else if (parameter.type === 'expression') this.#readExpression(textOf(value), place)
      else if (parameter.type === 'key' && parameter.flow !== 'in') this.#declare(textOf(value))
      else if (parameter.type === 'key') this.#read.add(textOf(value))
      else if (parameter.type === 'map' && parameter.flow === 'out')
        for (const key of Object.values(isObject(value) ? value : {})) this.#declare(textOf(key))
    }
    this.#references(source, params)
    for (const { name, type } of manifest.parameters) if (type === 'function') this.#usePure(source, textOf(params[name]))
    const contract = isObject(source.params?.contract) ? (source.params.contract as CompiledNode['contract']) : undefined
    for (const keys of [contract?.inputs, contract?.optional_inputs, contract?.outputs, contract?.inouts])
      for (const [key, type] of Object.entries(keys ?? {}))
        if (!this.#schemas.has(key)) this.#schemas.set(key, schemaOf(type, this.#options.schemas))
    return {
      source,
      manifest,
      params,
      children: (source.children ?? []).map((child) => this.#node(child)),
      conditions: this.#conditions(params, place),
      contract,
    }
  }

  /** Notes a function that runs in the step. */
  #usePure({ id, params, line }: NodeSource, name: string): void {
    const pure = this.#options.pure === undefined ? undefined : pureFunction(this.#options.pure, name, this.#options.pinned)
    if (pure === undefined) return
    this.#pure.set(name, pure)
    if (params?.timeout === undefined || params.fn !== name) return
    const message = `the timeout of ${id} has no effect: ${name} is pure and answers at once`
    this.#warnings.push(faults.make('R1207', message, { file: this.#source.file, line, path: id, fix: 'remove timeout' }))
  }

  #references({ type }: NodeSource, params: JsonObject): void {
    if (type === 'subtree_ref') (params.lazy === true ? this.#lazyRefs : this.#refs).add(textOf(params.tree_name))
    if (type === 'call') this.#calls.add(programName(textOf(params.program)))
    if (type === 'tool') this.#declare(outputOf(params))
    if (type === 'llm_call') this.#declare(`${textOf(params.response_key)}_error`)
    if (type === 'call') for (const key of Object.keys(isObject(params.export) ? params.export : {})) this.#declare(key)
    if (type === 'subtree_ref' && isObject(params.export)) for (const key of Object.keys(params.export)) this.#declare(key)
    if (type === 'llm_call' && params.stream_to !== undefined) this.#streams.add(textOf(params.stream_to))
    if (type === 'script' || type === 'action') this.#hasCode = true
    if (type === 'script' && /\bevent\b|\basync_id\b/.test(textOf(params.code))) this.#readsEvents = true
    for (const key of interpolatedKeys(params)) this.#read.add(key)
  }

  /** Declares a key that a node writes, if the tree does not. */
  #declare(key: string): void {
    // A key of all trees is checked as the key of its name.
    const name = key.startsWith('@') ? key.slice(1) : key
    if (!this.#schemas.has(name)) this.#schemas.set(name, schemaOf('any'))
  }

  #conditions(params: JsonObject, place: CodePlace): NodeConditions | undefined {
    const read = (name: string): ExpressionCode | undefined => {
      const text = params[name]
      return text === undefined ? undefined : this.#readExpression(textOf(text), place)
    }
    const assigned = (name: string): Assignments | undefined => {
      const given = params[name]
      if (!isObject(given)) return undefined
      return Object.entries(given).map(([key, text]) => {
        this.#declare(key)
        return [key, this.#readExpression(textOf(text), place)] as const
      })
    }
    const conditions = {
      skipIf: read('skip_if'),
      successIf: read('success_if'),
      failureIf: read('failure_if'),
      while: read('while'),
      onSuccess: assigned('on_success'),
      onFailure: assigned('on_failure'),
      onHalted: assigned('on_halted'),
      after: assigned('after'),
    }
    const present = Object.entries(conditions).filter(([, value]) => value !== undefined)
    return present.length === 0 ? undefined : (Object.fromEntries(present) as NodeConditions)
  }

  #readCondition(node: NodeSource, condition: Json, place: CodePlace): void {
    const code = conditionCode(condition, place)
    if (isFault(code)) throw code
    if (code.is === 'function') this.#usePure(node, code.name)
    if (code.is !== 'function' && /\bctx\s*\.\s*event\b/.test(code.text)) this.#readsEvents = true
    this.#code.set(JSON.stringify(condition), code)
  }

  #readExpression(text: string, place: CodePlace): ExpressionCode {
    const known = this.#code.get(JSON.stringify(text))
    if (known?.is === 'expression') return known
    const code = dataCode(text, place)
    if (isFault(code)) throw code
    if ('outside' in code) {
      throw faults.make('R1202', `${quote(text)} is no expression without functions and loops: ${code.outside}`, {
        rule: 'E4002',
        ...place,
        fix: 'write an expression, or use a script node',
      })
    }
    this.#code.set(JSON.stringify(text), code)
    return code
  }

  #unknownType({ type, id, line }: NodeSource): Fault {
    const hint = didYouMean(suggest(type, this.#options.nodes.keys()))
    return faults.make('R1202', `${id} is of the type ${type}, which does not exist${hint === undefined ? '' : `; ${hint}`}`, {
      rule: 'E4002',
      file: this.#source.file,
      line,
      path: id,
    })
  }
}

function authorOf({ author }: TreeSource & Authored): Authored {
  return author === undefined ? {} : { author }
}

const NO_NAMES: ReadonlySet<string> = new Set()

/** The functions of a tree and of those of its file, each once. */
function pinned(own: ReadonlyMap<string, PureFunction>, trees: ReadonlyMap<string, CompiledTree>): readonly FunctionPin[] {
  const all = new Map([...own.values()].map((one) => [one.name, pinOfPure(one)]))
  for (const { functions } of trees.values()) for (const pin of functions) all.set(pin[0], pin)
  return [...all.values()]
}

/** The names that a tree and those of its file use, without those of the file. */
function outside(
  own: readonly string[],
  trees: ReadonlyMap<string, CompiledTree>,
  inside: ReadonlySet<string>,
  of: (tree: CompiledTree) => readonly string[],
): readonly string[] {
  return [...new Set([...own, ...[...trees.values()].flatMap(of)])].filter((name) => !inside.has(name))
}

function withFailureNode(root: CompiledNode, onFailure: CompiledNode): CompiledNode {
  return {
    source: { type: withOnFailure.type, id: 'tree', children: [] },
    manifest: withOnFailure,
    params: {},
    children: [root, onFailure],
    conditions: undefined,
    contract: undefined,
  }
}
