import { type Fault, type FaultDetails, isList, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { didYouMean, type Path, type PlaceOptions, quote, readJson, suggest } from '../../../text/index.ts'
import { faults } from '../model/faults.ts'
import { TREE_FORMAT } from '../model/source.ts'
import { hasErrors } from './findings.ts'
import { fileNameFinding } from './file-name.ts'
import { lineOf } from './line-of.ts'
import { type NormalisedTree, type NormaliseOptions, normaliseTree } from './normalise.ts'
import { type Origin, RawNode, RawTree, typeName } from './raw.ts'

/** The keys of a node in JSON, besides its parameters. */
const NODE_KEYS = ['type', 'id', 'name', 'description', 'metadata', 'line', 'code_line', 'params', 'children']

/**
 * Reads a tree in JSON, with comments and trailing commas: `*.tree.json`. The parameters have the leniency of Lua: aliases and other spellings
 * become the normal form. Returns all findings, each with its place. Never throws.
 */
export function readJsonTree(text: string, file?: string, options: Omit<NormaliseOptions, 'file'> = {}): NormalisedTree {
  const json = readJson(text, file, { rule: 'E4002' })
  if (json.value === undefined) return { findings: json.findings }
  const places: Places = { line: (path) => json.place(path).line, details: (path, place) => json.details(path, place) }
  return readTree(json.value, places, json.findings, { ...options, file })
}

/**
 * Reads a tree that is data already, as a program of a host has it, with the checks of a file. A place is the line that the nearest node states.
 * Returns all findings. Never throws.
 */
export function readTreeData(value: Json, options: NormaliseOptions = {}): NormalisedTree {
  const line = (path: Path): number | undefined => lineOf(value, path)
  return readTree(value, { line, details: (path) => ({ file: options.file, line: line(path) }) }, [], options)
}

function readTree(value: Json, places: Places, before: readonly Fault[], options: NormaliseOptions): NormalisedTree {
  const reader = new JsonTreeReader(places)
  const tree = reader.tree(value, [])
  const shape = [...before, ...reader.findings]
  if (tree === undefined) return { findings: shape }
  const { source, findings } = normaliseTree(tree, { ...options, acceptsFunctions: false })
  const all = [...shape, ...findings, ...fileNameFinding(tree, options.file)].sort(byPlace)
  return source === undefined || hasErrors(shape) ? { findings: all } : { source, findings: all }
}

/** The places of the parts of a tree in the text that its author wrote. */
interface Places {
  line(path: Path): number | undefined
  details(path: Path, place?: PlaceOptions): FaultDetails
}

function byPlace(a: Fault, b: Fault): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
}

/** Turns JSON into nodes as they are written, and reports what does not have the shape of one. */
class JsonTreeReader {
  readonly findings: Fault[] = []
  readonly #places: Places

  constructor(places: Places) {
    this.#places = places
  }

  tree(value: Json | undefined, path: Path): RawTree | undefined {
    if (value === undefined || !isObject(value)) return this.#refuse(path, `a tree must be an object, found ${typeName(value)}`)
    const { $schema: _, file: __, format, id, root, on_failure, trees, ...others } = value
    if (format !== undefined && format !== TREE_FORMAT) {
      this.#refuse([...path, 'format'], `this version of Reflex reads format ${TREE_FORMAT}, found ${typeName(format)}`)
    }
    const keys = new Map<string, unknown>(Object.entries(others))
    if (root !== undefined) keys.set('root', this.node(root, [...path, 'root']) ?? null)
    if (on_failure !== undefined) keys.set('on_failure', this.node(on_failure, [...path, 'on_failure']))
    if (trees !== undefined) keys.set('trees', this.#trees(trees, [...path, 'trees']))
    return new RawTree(id ?? '', { keys, origin: this.#origin(value, path) })
  }

  #trees(value: Json, path: Path): readonly RawTree[] {
    if (!isObject(value)) {
      this.#refuse(path, `trees must map names to trees, found ${typeName(value)}`)
      return []
    }
    return Object.entries(value).flatMap(([name, tree]) => {
      const place = [...path, name]
      if (isObject(tree) && tree.id !== undefined && tree.id !== name) {
        this.#refuse([...place, 'id'], `the tree stands under ${quote(name)}, and its id is ${typeName(tree.id)}`)
      }
      return this.tree(isObject(tree) ? { ...tree, id: name } : tree, place) ?? []
    })
  }

  node(value: Json, path: Path): RawNode | undefined {
    if (!isObject(value)) return this.#refuse(path, `a node must be an object, found ${typeName(value)}`)
    const { type, params = {}, children = [], line: _, code_line: __, ...others } = value
    for (const key of Object.keys(others)) if (!NODE_KEYS.includes(key)) this.#refuseKey([...path, key], key)
    if (typeof type !== 'string') return this.#refuse(path, 'a node must have a type', 'add "type", such as "sequence"')
    if (!isObject(params)) this.#refuse([...path, 'params'], `params must be an object, found ${typeName(params)}`)
    if (!isList(children)) this.#refuse([...path, 'children'], `children must be a list of nodes, found ${typeName(children)}`)
    const own = Object.entries(others).filter(([key]) => NODE_KEYS.includes(key))
    const keys = new Map<string, unknown>([...own, ...Object.entries(isObject(params) ? params : {})])
    const nodes = (isList(children) ? children : []).flatMap((child, at) => this.node(child, [...path, 'children', at]) ?? [])
    return new RawNode(type, { keys, children: nodes, origin: this.#origin(value, path) })
  }

  #origin(value: JsonObject, path: Path): Origin {
    const places = this.#places
    const line = typeof value.line === 'number' ? value.line : places.line(path)
    const params = isObject(value.params) ? value.params : {}
    return {
      line,
      codeLine(names) {
        if (typeof value.line === 'number') return typeof value.code_line === 'number' ? value.code_line : undefined
        const name = names.find((key) => Object.hasOwn(params, key))
        return name === undefined ? undefined : places.line([...path, 'params', name])
      },
      at(key, note) {
        if (key === undefined) return places.details(path, { note })
        if (Object.hasOwn(params, key)) return places.details([...path, 'params', key], { note })
        const own = key === 'name' && !Object.hasOwn(value, 'name') ? 'id' : key === 'blackboard' ? 'board' : key
        return places.details(Object.hasOwn(value, own) ? [...path, own] : path, { note })
      },
    }
  }

  #refuseKey(path: Path, key: string): void {
    const guess = suggest(key, NODE_KEYS)
    const fix = guess === undefined ? 'move it into params, or remove it' : `write ${quote(guess)}`
    const place = this.#places.details(path, { part: 'key', note: didYouMean(guess) })
    this.findings.push(faults.finding('R1206', `a node has no key ${quote(key)}`, { ...place, rule: 'E4002', fix }))
  }

  #refuse(path: Path, message: string, fix?: string): undefined {
    const details = { ...this.#places.details(path), rule: 'E4002', ...(fix === undefined ? {} : { fix }) }
    this.findings.push(faults.finding('R1206', message, details))
  }
}
