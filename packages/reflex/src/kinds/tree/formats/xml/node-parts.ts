import { type Fault, type Json } from '../../../../kernel/index.ts'
import { didYouMean, quote, suggest } from '../../../../text/index.ts'
import { build } from '../../lua/expression/build.ts'
import { text } from '../../lua/expression/print.ts'
import { faults } from '../../model/faults.ts'
import { NAME } from '../names.ts'
import { type Origin, RawNode } from '../raw.ts'
import { placeOf, type XmlDocument, type XmlElement } from './elements.ts'
import type { NodeModel } from './models.ts'
import { type PaletteEntry, POST_ATTRIBUTES, PRE_ATTRIBUTES } from './palette.ts'
import { referenceIn } from './ports.ts'
import { readCondition, readScript, type ScriptStatement } from './script-read.ts'
import { ScriptMistake } from './script-tokens.ts'
import type { TreeScope } from './tree-scope.ts'

/** The document, its names and its findings, shared by all of its nodes. */
export interface ReadSetting {
  readonly document: XmlDocument
  readonly palette: ReadonlyMap<string, PaletteEntry>
  readonly models: ReadonlyMap<string, NodeModel>
  readonly findings: Fault[]
}

/** Attributes that editors write and that mean nothing to a tree. */
const OF_EDITORS = new Set(['_uid', '_fullpath', '_description', '_id', '_autoremap'])

/** One element while it is read: its keys as they become known, and its place. */
export class NodeParts {
  readonly element: XmlElement
  readonly scope: TreeScope
  readonly keys = new Map<string, unknown>()
  readonly #setting: ReadSetting
  /** The attribute that gave each key. */
  readonly #attributes = new Map<string, string>()

  constructor(element: XmlElement, scope: TreeScope, setting: ReadSetting) {
    this.element = element
    this.scope = scope
    this.#setting = setting
  }

  /** The attributes that are ports: all but the name, the ID and what begins with `_`. */
  get ports(): readonly (readonly [name: string, value: string])[] {
    return [...this.element.attributes.values()]
      .filter(({ name }) => name !== 'name' && name !== 'ID' && !name.startsWith('_'))
      .map(({ name, value }) => [name, value] as const)
  }

  attribute(name: string): string | undefined {
    return this.element.attributes.get(name)?.value
  }

  set(key: string, value: unknown, attribute?: string): void {
    this.keys.set(key, value)
    if (attribute !== undefined) this.#attributes.set(key, attribute)
  }

  node(type: string, children: readonly RawNode[]): RawNode {
    return new RawNode(type, { keys: this.keys, children, origin: this.origin })
  }

  get origin(): Origin {
    const { source } = this.#setting.document
    const { element } = this
    const attributes = this.#attributes
    return {
      line: source.lines.positionAt(element.offset).line,
      at: (key, note) => placeOf(source, element, key === undefined ? undefined : (attributes.get(key) ?? key), note),
    }
  }

  /** Reports what cannot be read (R1205), at an attribute or at the element. Returns undefined. */
  refuse(message: string, attribute?: string, fix?: string, note?: string): undefined {
    const place = placeOf(this.#setting.document.source, this.element, attribute, note)
    this.#setting.findings.push(faults.finding('R1205', message, { ...place, ...(fix === undefined ? {} : { fix }) }))
  }

  warn(message: string, attribute?: string, note?: string): void {
    this.#setting.findings.push(faults.finding('R1207', message, placeOf(this.#setting.document.source, this.element, attribute, note)))
  }

  /** Reports a port that a node does not have. */
  refusePort(port: string, known: Iterable<string>): void {
    const names = [...known]
    const guess = suggest(port, names)
    const fix = guess !== undefined ? `write ${guess}` : names.length === 0 ? 'remove it' : `its ports are ${names.join(', ')}`
    this.refuse(`${this.element.name} has no port ${quote(port)}`, port, fix, didYouMean(guess))
  }

  /** Returns the key of a port that must be `{key}`, and notes it. */
  keyAt(port: string, type?: string): string | undefined {
    const value = this.attribute(port)
    if (value === undefined) return this.refuse(`${this.element.name} has no ${port}`, undefined, `add ${port}="{key}"`)
    const key = referenceIn(value, port)
    if (key === undefined) return this.refuse(`${port} must be a key of the blackboard`, port, `write ${port}="{key}"`)
    return this.useKey(key, port, type) ? key : undefined
  }

  /** Notes a key that the node uses. False, and a finding, for a key of the runtime. */
  useKey(key: string, attribute: string, type?: string): boolean {
    if (key.startsWith('_')) {
      this.refuse(`keys that begin with _ belong to the runtime: ${quote(key)}`, attribute, 'choose another key')
      return false
    }
    this.scope.use(key, type)
    return true
  }

  /** Reads what every node can have: its name, its description, and the conditions before and after it. */
  readCommon(): void {
    this.#readName()
    const description = this.attribute('_description')
    if (description !== undefined) this.set('description', description, '_description')
    for (const { name, value } of this.element.attributes.values()) {
      if (!name.startsWith('_') || OF_EDITORS.has(name)) continue
      const before = PRE_ATTRIBUTES.get(name)
      const after = POST_ATTRIBUTES.get(name)
      if (before !== undefined) this.set(before, this.condition(value, name), name)
      else if (after !== undefined) this.set(after, this.#assignments(value, name), name)
      else {
        const guess = suggest(name, [...PRE_ATTRIBUTES.keys(), ...POST_ATTRIBUTES.keys(), '_description', '_autoremap'])
        this.warn(`${this.element.name} has no attribute ${name}; it has no effect`, name, didYouMean(guess))
      }
    }
    if (this.element.text.trim() !== '') this.warn(`text in ${this.element.name} has no effect`)
  }

  /** A name that can be an id is the id of the first node that has it. */
  #readName(): void {
    const { ids } = this.scope
    const [id, name] = [this.attribute('_id'), this.attribute('name')]
    const isId = id === undefined && name !== undefined && NAME.test(name) && !ids.has(name)
    const chosen = isId ? name : id
    if (chosen !== undefined) {
      ids.add(chosen)
      this.set('id', chosen, isId ? 'name' : '_id')
    }
    if (name !== undefined && !isId) this.set('name', name, 'name')
  }

  /** Returns a condition as Lua; undefined if it cannot be read. */
  condition(script: string, attribute: string, isNegated = false): string | undefined {
    return this.#read(attribute, script, () => {
      const written = readCondition(script, this.scope.isKey)
      const expression = isNegated ? build.not(written) : written
      this.scope.useAll(expression)
      return text(expression)
    })
  }

  /** Returns the statements of a script, and notes the keys that they read and write. */
  statements(script: string, attribute: string): readonly ScriptStatement[] | undefined {
    return this.#read(attribute, script, () => {
      const statements = readScript(script, this.scope.isKey)
      for (const { key, expression } of statements) {
        this.scope.useAll(expression)
        if (key !== undefined) this.useKey(key, attribute)
      }
      return statements
    })
  }

  #assignments(script: string, attribute: string): Readonly<Record<string, Json>> | undefined {
    const statements = this.statements(script, attribute)
    if (statements === undefined) return undefined
    const made = new Map<string, string>()
    for (const { key, expression } of statements) {
      if (key === undefined) return this.refuse(`${attribute} must write keys: ${script}`, attribute, 'write key := value')
      const needsEarlier = made.has(key) || [...made.keys()].some((earlier) => JSON.stringify(expression).includes(`"${earlier}"`))
      if (needsEarlier) {
        const fix = 'write the last value in one statement, or use a Script node'
        return this.refuse(`the statements of ${attribute} depend on each other`, attribute, fix)
      }
      made.set(key, text(expression))
    }
    return Object.fromEntries(made)
  }

  #read<T>(attribute: string, script: string, read: () => T): T | undefined {
    try {
      return read()
    } catch (thrown) {
      if (!(thrown instanceof ScriptMistake)) throw thrown
      const { source } = this.#setting.document
      const at = this.element.attributes.get(attribute)
      // With entities in it the value is not as long as its text, and the whole of it is marked.
      const place =
        at === undefined || at.length !== script.length
          ? placeOf(source, this.element, attribute)
          : source.details(at.offset + thrown.offset, thrown.length)
      const fix = thrown.fix === undefined ? {} : { fix: thrown.fix }
      this.#setting.findings.push(faults.finding('R1205', thrown.message, { ...place, ...fix }))
      return undefined
    }
  }
}
