import { quote, quoteAll, didYouMean, suggest, type Suggester } from '../../../text/index.ts'
import { type Attribute, type Attributes, type DotEdge, type DotGraph, type DotNode, numberOf, textOf } from '../dot/graph.ts'
import type { AttributeRow } from './attribute-row.ts'
import { isStrict, valueProblem } from './attribute-value.ts'
import { edgeSubject, type Findings, GRAPH_SUBJECT, nodeSubject, type Subject } from './findings.ts'
import { requiredOf } from './operation-facts.ts'
import type { OperationTable } from './operation-table.ts'
import { UNKNOWN_OPERATION } from './type-names.ts'
import type { Resolution } from './resolution.ts'

type Place = 'graph' | 'node' | 'edge'

const PLACES: Readonly<Record<Place, string>> = { graph: 'the graph', node: 'nodes', edge: 'edges' }

/** Checks the attributes of a pipeline against the table of attributes. Create one per compilation. */
export class SchemaCheck {
  readonly #findings: Findings
  readonly #suggesters = new Map<Place, Suggester>()
  readonly #suggestions = new Map<string, string | undefined>()
  readonly #graph: DotGraph
  readonly #operations: OperationTable
  #mentioned: ReadonlySet<string> | undefined

  constructor(graph: DotGraph, operations: OperationTable, findings: Findings) {
    this.#graph = graph
    this.#operations = operations
    this.#findings = findings
  }

  /** Checks the attributes of the graph. Each may be a custom value, `$name` in texts. */
  checkGraph(): void {
    const { attributes } = this.#graph
    for (const [name, attribute] of attributes) {
      const row = this.#operations.attributes.find('graph', name)
      if (row === undefined) this.#reportUnknown('graph', name, attribute, GRAPH_SUBJECT)
      else if (row !== 'ignored') this.#checkValue(row, name, attributes, attribute, GRAPH_SUBJECT)
    }
  }

  /** Checks the attributes of a node and returns the messages as `schemaErrors`. The attributes of a custom handler are unknown. */
  checkNode(node: DotNode, resolution: Resolution, operation: string): string[] {
    const subject = nodeSubject(node)
    const errors: string[] = []
    for (const [name, attribute] of node.attributes) {
      const row = this.#rowOf(name, resolution, operation)
      if (row === undefined) {
        if (resolution.custom === undefined) this.#reportUnknown('node', name, attribute, subject)
      } else if (row === 'ignored') {
        if (resolution.custom === undefined && operation !== UNKNOWN_OPERATION) this.#reportOtherTypes(name, attribute, resolution, subject)
      } else if (!(operation === UNKNOWN_OPERATION && name === this.#operations.types.choice(resolution.canonical)?.attribute)) {
        const severity = resolution.custom === undefined && isStrict(row) ? 'error' : undefined
        const error = this.#checkValue(row, name, node.attributes, attribute, subject, severity)
        if (error !== undefined) errors.push(error)
      }
    }
    const missing = this.#checkOperation(node, resolution, operation, subject)
    return missing.length === 0 ? errors : [...errors, ...missing]
  }

  /** Returns the row of an attribute of a node. The selecting attribute of a canonical type has the row of its type. */
  #rowOf(name: string, { canonical, rawType }: Resolution, operation: string): AttributeRow | 'ignored' | undefined {
    const choice = rawType === canonical ? this.#operations.choice(canonical, name) : undefined
    return choice ?? this.#operations.attributes.find('node', name, operation)
  }

  /** Checks the attributes of an edge. */
  checkEdge(edge: DotEdge): void {
    const subject = edgeSubject(edge)
    for (const [name, attribute] of edge.attributes) {
      const row = this.#operations.attributes.find('edge', name)
      if (row === undefined) this.#reportUnknown('edge', name, attribute, subject)
      else if (name === 'weight') this.#checkWeight(edge.attributes, attribute, subject)
      else if (row !== 'ignored') this.#checkValue(row, name, edge.attributes, attribute, subject)
    }
  }

  #reportUnknown(on: Place, name: string, attribute: Attribute, subject: Subject): void {
    const guess = this.#suggestion(on, name)
    const elsewhere = this.#operations.attributes.otherPlaces(name, on)
    if (on === 'graph' && (guess === undefined || this.#isMentioned(name))) return
    const otherPlace = elsewhere.length === 0 ? undefined : `it belongs to ${elsewhere.map((place) => PLACES[place]).join(' or ')}`
    const note = otherPlace ?? didYouMean(guess)
    this.#findings.add('R1106', {
      rule: 'unknown_attribute',
      message: `${PLACES[on]} ${on === 'graph' ? 'has' : 'have'} no attribute ${quote(name)}`,
      subject,
      key: name,
      attribute,
      part: 'key',
      note,
      fix: otherPlace === undefined ? (guess === undefined ? 'remove it' : `write ${quote(guess)}`) : otherPlace,
    })
  }

  /** Reports an attribute that only nodes of other types read. Defaults apply to nodes of every type, so they are not reported. */
  #reportOtherTypes(name: string, attribute: Attribute, { rawType }: Resolution, subject: Subject): void {
    const types = this.#operations.attributes.operationsWith(name)
    if (types.length === 0 || attribute.provenance !== 'own') return
    this.#findings.add('R1106', {
      rule: 'unknown_attribute',
      message: `${quote(subject.path)} is of type ${quote(rawType)}, which does not read ${quote(name)}`,
      subject,
      key: name,
      attribute,
      part: 'key',
      fix: `remove it, or write it at a node of type ${alternatives(types)}`,
    })
  }

  #checkValue(
    row: Parameters<typeof valueProblem>[0],
    name: string,
    attributes: Attributes,
    attribute: Attribute,
    subject: Subject,
    severity?: 'error',
  ): string | undefined {
    const problem = valueProblem(row, name, attributes, attribute)
    if (problem === undefined) return undefined
    const shown = quote(String(attribute.value))
    const whose = subject.path === '' ? 'the graph' : quote(subject.path)
    if (problem === 'duration') {
      const message = `${name} of ${whose} is ${shown}, which is not a duration`
      const fix = 'write it as 300s, 15m or 250ms'
      this.#findings.add('R1112', { rule: 'duration_syntax', message, subject, key: name, attribute, fix, severity })
      return message
    }
    const guess = row.type === 'words' ? suggest(String(attribute.value), row.words) : undefined
    const message = `${name} of ${whose} is ${shown}, which ${problem}`
    const fix = guess === undefined ? undefined : `write ${quote(guess)}`
    this.#findings.add('R1107', { rule: 'typed_schema', message, subject, key: name, attribute, note: didYouMean(guess), fix, severity })
    return message
  }

  /** Checks that the operation exists and that its required attributes are written. */
  #checkOperation(node: DotNode, { canonical, rawType }: Resolution, operation: string, subject: Subject): string[] {
    if (operation === UNKNOWN_OPERATION) return this.#reportDispatch(node, canonical, subject)
    const errors: string[] = []
    for (const group of requiredOf(this.#operations.facts(operation), node.attributes)) {
      const names = group.split('|')
      if (names.some((name) => isWritten(node.attributes, name))) continue
      const message = `${quote(node.id)} is of type ${quote(rawType)} and needs ${names.join(' or ')}`
      this.#findings.add('R1107', { rule: 'typed_schema', message, subject, fix: `write ${names.join(' or ')}` })
      errors.push(message)
    }
    return errors
  }

  #reportDispatch(node: DotNode, canonical: Resolution['canonical'], subject: Subject): string[] {
    const dispatch = this.#operations.types.choice(canonical)
    if (dispatch === undefined) return []
    const word = textOf(node.attributes, dispatch.attribute)?.trim() ?? ''
    const isWord = dispatch.words.includes(word)
    const key = isWord ? 'op' : dispatch.attribute
    const attribute = node.attributes.get(key)
    const written = quote(String(attribute?.value ?? ''))
    const guess = isWord ? undefined : suggest(word, dispatch.words)
    const message = isWord
      ? `${dispatch.attribute} ${quote(word)} of ${quote(node.id)} needs an op that it knows, not ${written}`
      : `${key} of ${quote(node.id)} is ${written}, which is not one of ${quoteAll(dispatch.words, dispatch.words.length)}`
    const fix = guess === undefined ? undefined : `write ${quote(guess)}`
    this.#findings.add('R1107', { rule: 'typed_schema', message, subject, key, attribute, note: didYouMean(guess), fix, severity: 'error' })
    return [message]
  }

  #checkWeight(attributes: Attributes, attribute: Attribute, subject: Subject): void {
    if (attribute.value === '' || numberOf(attributes, 'weight') !== undefined) return
    const message = `the weight of ${quote(subject.path)} is ${quote(String(attribute.value))}, which is not a number, and counts as 0`
    this.#findings.add('R1113', { rule: 'weight_numeric', message, subject, key: 'weight', attribute, fix: 'write a number' })
  }

  #suggestion(on: Place, name: string): string | undefined {
    const suggester = this.#suggesters.get(on) ?? this.#operations.attributes.suggester(on)
    this.#suggesters.set(on, suggester)
    const key = `${on} ${name}`
    if (!this.#suggestions.has(key)) this.#suggestions.set(key, suggester(name))
    return this.#suggestions.get(key)
  }

  #isMentioned(name: string): boolean {
    this.#mentioned ??= mentionsOf(this.#graph)
    return this.#mentioned.has(name)
  }
}

/** The largest number of types that a finding names. */
const MOST_SHOWN = 4

function alternatives(types: readonly string[]): string {
  const shown = types.slice(0, MOST_SHOWN)
  const last = shown.pop() ?? ''
  return shown.length === 0 ? last : `${shown.join(', ')} or ${last}`
}

function isWritten(attributes: Attributes, name: string): boolean {
  const value = attributes.get(name)?.value
  return value !== undefined && value !== ''
}

const MENTION = /\$(?:graph\.)?([A-Za-z_][A-Za-z0-9_]*)|\bgraph\.([A-Za-z_][A-Za-z0-9_]*)/g

/** Returns the names that a text of the pipeline uses as a value of the graph: `$name`, `graph.name`. */
function mentionsOf({ nodes, edges }: DotGraph): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { attributes } of [...nodes.values(), ...edges]) {
    for (const { value } of attributes.values()) {
      if (typeof value !== 'string') continue
      for (const [, dollar, dotted] of value.matchAll(MENTION)) names.add(dollar ?? dotted ?? '')
    }
  }
  return names
}
