import { quote, quoteAll, didYouMean, suggest, type Suggester } from '../../../text/index.ts'
import { type Attributes, type DotEdge, type DotGraph, type DotNode, numberOf, textOf } from '../dot/graph.ts'
import type { AttributeRow } from './attribute-row.ts'
import { isStrict, valueProblem } from './attribute-value.ts'
import { type Findings, pathOf, type Subject } from './findings.ts'
import { requiredOf } from './operation-facts.ts'
import type { OperationTable } from './operation-table.ts'
import { UNKNOWN_OPERATION } from './type-names.ts'
import type { Resolution } from './resolution.ts'

type Place = 'graph' | 'node' | 'edge'

const PLACES: Readonly<Record<Place, string>> = { graph: 'the graph', node: 'nodes', edge: 'edges' }

const NO_ERRORS: readonly string[] = Object.freeze([])

/** Checks the attributes of a pipeline against the table of attributes. Create one per compilation. */
export class SchemaCheck {
  /** The names of the attributes of all checked nodes and edges. */
  readonly names = new Set<string>()
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
    for (const name of attributes.keys()) {
      const row = this.#operations.attributes.find('graph', name)
      if (row === undefined) this.#reportUnknown('graph', name, attributes, undefined)
      else if (row !== 'ignored') this.#checkValue(row, name, attributes, undefined)
    }
  }

  /** Checks the attributes of a node and returns the messages as `schemaErrors`. The attributes of a custom handler are unknown. */
  checkNode(node: DotNode, resolution: Resolution, operation: string): readonly string[] {
    const { canonical, rawType, custom } = resolution
    const { attributes } = this.#operations
    const isUnknown = operation === UNKNOWN_OPERATION
    const choice = this.#operations.choice(canonical)
    let errors: string[] | undefined
    for (const name of node.attributes.keys()) {
      this.names.add(name)
      const isChoice = choice?.name === name
      if (isChoice && isUnknown) continue
      // The selecting attribute of a canonical type has the row of its type.
      const row = isChoice && rawType === canonical ? choice : attributes.find('node', name, operation)
      if (row === undefined) {
        if (custom === undefined) this.#reportUnknown('node', name, node.attributes, node)
      } else if (row === 'ignored') {
        if (custom === undefined && !isUnknown) this.#reportOtherTypes(name, resolution, node)
      } else {
        const error = this.#checkValue(row, name, node.attributes, node, custom === undefined)
        if (error !== undefined) (errors ??= []).push(error)
      }
    }
    const missing = isUnknown ? this.#reportDispatch(node, canonical) : this.#checkRequired(node, rawType, operation)
    return errors === undefined ? missing : missing.length === 0 ? errors : [...errors, ...missing]
  }

  /** Checks the attributes of an edge. */
  checkEdge(edge: DotEdge): void {
    for (const name of edge.attributes.keys()) {
      this.names.add(name)
      const row = this.#operations.attributes.find('edge', name)
      if (row === undefined) this.#reportUnknown('edge', name, edge.attributes, edge)
      else if (name === 'weight') this.#checkWeight(edge)
      else if (row !== 'ignored') this.#checkValue(row, name, edge.attributes, edge)
    }
  }

  #reportUnknown(on: Place, name: string, attributes: Attributes, subject: Subject): void {
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
      attribute: attributes.get(name),
      part: 'key',
      note,
      fix: otherPlace === undefined ? (guess === undefined ? 'remove it' : `write ${quote(guess)}`) : otherPlace,
    })
  }

  /** Reports an attribute that only nodes of other types read. Defaults apply to nodes of every type, so they are not reported. */
  #reportOtherTypes(name: string, { rawType }: Resolution, node: DotNode): void {
    const attribute = node.attributes.get(name)
    const types = attribute?.provenance === 'own' ? this.#operations.attributes.operationsWith(name) : []
    if (types.length === 0) return
    this.#findings.add('R1106', {
      rule: 'unknown_attribute',
      message: `${quote(node.id)} is of type ${quote(rawType)}, which does not read ${quote(name)}`,
      subject: node,
      key: name,
      attribute,
      part: 'key',
      fix: `remove it, or write it at a node of type ${alternatives(types)}`,
    })
  }

  #checkValue(row: AttributeRow, name: string, attributes: Attributes, subject: Subject, mayFail = false): string | undefined {
    const problem = valueProblem(row, name, attributes)
    if (problem === undefined) return undefined
    const severity = mayFail && isStrict(row) ? 'error' : undefined
    const attribute = attributes.get(name)
    const value = String(attribute?.value)
    const shown = quote(value)
    const path = pathOf(subject)
    const whose = path === '' ? 'the graph' : quote(path)
    if (problem === 'duration') {
      const message = `${name} of ${whose} is ${shown}, which is not a duration`
      const fix = 'write it as 300s, 15m or 250ms'
      this.#findings.add('R1112', { rule: 'duration_syntax', message, subject, key: name, attribute, fix, severity })
      return message
    }
    const guess = row.type === 'words' ? suggest(value, row.words) : undefined
    const message = `${name} of ${whose} is ${shown}, which ${problem}`
    const fix = guess === undefined ? undefined : `write ${quote(guess)}`
    this.#findings.add('R1107', { rule: 'typed_schema', message, subject, key: name, attribute, note: didYouMean(guess), fix, severity })
    return message
  }

  /** Checks that the required attributes of an operation are written. */
  #checkRequired(node: DotNode, rawType: string, operation: string): readonly string[] {
    const groups = requiredOf(this.#operations.facts(operation), node.attributes)
    if (groups.length === 0) return NO_ERRORS
    const errors: string[] = []
    for (const group of groups) {
      const names = group.split('|')
      if (names.some((name) => isWritten(node.attributes, name))) continue
      const message = `${quote(node.id)} is of type ${quote(rawType)} and needs ${names.join(' or ')}`
      this.#findings.add('R1107', { rule: 'typed_schema', message, subject: node, fix: `write ${names.join(' or ')}` })
      errors.push(message)
    }
    return errors
  }

  /** Reports the selecting attribute of a node whose value selects no operation. */
  #reportDispatch(node: DotNode, canonical: Resolution['canonical']): readonly string[] {
    const dispatch = this.#operations.types.choice(canonical)
    if (dispatch === undefined) return NO_ERRORS
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
    const details = {
      rule: 'typed_schema',
      message,
      subject: node,
      key,
      attribute,
      note: didYouMean(guess),
      fix,
      severity: 'error',
    } as const
    this.#findings.add('R1107', details)
    return [message]
  }

  #checkWeight(edge: DotEdge): void {
    const attribute = edge.attributes.get('weight')
    if (attribute?.value === '' || numberOf(edge.attributes, 'weight') !== undefined) return
    const message = `the weight of ${quote(pathOf(edge))} is ${quote(String(attribute?.value))}, which is not a number, and counts as 0`
    this.#findings.add('R1113', { rule: 'weight_numeric', message, subject: edge, key: 'weight', attribute, fix: 'write a number' })
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
