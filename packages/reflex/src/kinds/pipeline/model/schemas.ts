import { quote, quoteAll } from '../../../text/harmless.ts'
import { didYouMean, suggest, type Suggester } from '../../../text/suggest.ts'
import { type Attribute, type Attributes, type DotEdge, type DotGraph, type DotNode, numberOf, textOf } from '../dot/graph.ts'
import { failsOnWrong, wrongValue } from './attribute-value.ts'
import { attributeSuggester, findAttribute, operationsWith, otherPlacesOf } from './attributes.ts'
import { edgeOwner, type Findings, GRAPH_OWNER, nodeOwner, type Owner } from './findings.ts'
import { choiceOf, UNKNOWN_OPERATION } from './operation.ts'
import { requiredOf } from './operations.ts'
import type { Resolution } from './typed.ts'

type Place = 'graph' | 'node' | 'edge'

const PLACES: Readonly<Record<Place, string>> = { graph: 'the graph', node: 'nodes', edge: 'edges' }

/** Checks what is written of a pipeline against the table of attributes. One for each compilation. */
export class SchemaCheck {
  readonly #findings: Findings
  readonly #guess = new Map<Place, Suggester>()
  readonly #guessed = new Map<string, string | undefined>()
  readonly #graph: DotGraph
  #mentioned: ReadonlySet<string> | undefined

  constructor(graph: DotGraph, findings: Findings) {
    this.#graph = graph
    this.#findings = findings
  }

  /** The attributes of the graph. Any of them may be a value of the author's own, `$name` in texts. */
  graph(): void {
    const { attributes } = this.#graph
    for (const [name, attribute] of attributes) {
      const row = findAttribute('graph', name)
      if (row === undefined) this.#unknown('graph', name, attribute, GRAPH_OWNER)
      else if (row !== 'ignored') this.#value(row, name, attributes, attribute, GRAPH_OWNER)
    }
  }

  /** The attributes of a node; what a custom handler reads is not known. The messages are its `schemaErrors`. */
  node(node: DotNode, resolution: Resolution, operation: string): string[] {
    const owner = nodeOwner(node)
    const errors: string[] = []
    for (const [name, attribute] of node.attributes) {
      const row = findAttribute('node', name, operation)
      if (row === undefined) {
        if (resolution.custom === undefined) this.#unknown('node', name, attribute, owner)
      } else if (row === 'ignored') {
        if (resolution.custom === undefined && operation !== UNKNOWN_OPERATION) this.#otherTypes(name, attribute, resolution, owner)
      } else if (!(operation === UNKNOWN_OPERATION && name === choiceOf(resolution.canonical)?.attribute)) {
        const severity = resolution.custom === undefined && failsOnWrong(row) ? 'error' : undefined
        const error = this.#value(row, name, node.attributes, attribute, owner, severity)
        if (error !== undefined) errors.push(error)
      }
    }
    const missing = this.#operation(node, resolution, operation, owner)
    return missing.length === 0 ? errors : [...errors, ...missing]
  }

  /** The attributes of an edge. */
  edge(edge: DotEdge): void {
    const owner = edgeOwner(edge)
    for (const [name, attribute] of edge.attributes) {
      const row = findAttribute('edge', name)
      if (row === undefined) this.#unknown('edge', name, attribute, owner)
      else if (name === 'weight') this.#weight(edge.attributes, attribute, owner)
      else if (row !== 'ignored') this.#value(row, name, edge.attributes, attribute, owner)
    }
  }

  #unknown(on: Place, name: string, attribute: Attribute, owner: Owner): void {
    const guess = this.#suggestion(on, name)
    const elsewhere = otherPlacesOf(name, on)
    if (on === 'graph' && (guess === undefined || this.#isMentioned(name))) return
    const belongs = elsewhere.length === 0 ? undefined : `it belongs to ${elsewhere.map((place) => PLACES[place]).join(' or ')}`
    const note = belongs ?? didYouMean(guess)
    this.#findings.add('R1106', {
      rule: 'unknown_attribute',
      message: `${PLACES[on]} ${on === 'graph' ? 'has' : 'have'} no attribute ${quote(name)}`,
      owner,
      key: name,
      attribute,
      part: 'key',
      note,
      fix: belongs === undefined ? (guess === undefined ? 'remove it' : `write ${quote(guess)}`) : belongs,
    })
  }

  /** An attribute that only nodes of other types read. Defaults are written for nodes of every type. */
  #otherTypes(name: string, attribute: Attribute, { rawType }: Resolution, owner: Owner): void {
    const types = operationsWith(name)
    if (types.length === 0 || attribute.provenance !== 'own') return
    this.#findings.add('R1106', {
      rule: 'unknown_attribute',
      message: `${quote(owner.path)} is of type ${quote(rawType)}, which does not read ${quote(name)}`,
      owner,
      key: name,
      attribute,
      part: 'key',
      fix: `remove it, or write it at a node of type ${alternatives(types)}`,
    })
  }

  #value(
    row: Parameters<typeof wrongValue>[0],
    name: string,
    attributes: Attributes,
    attribute: Attribute,
    owner: Owner,
    severity?: 'error',
  ): string | undefined {
    const wrong = wrongValue(row, name, attributes, attribute)
    if (wrong === undefined) return undefined
    const shown = quote(String(attribute.value))
    const whose = owner.path === '' ? 'the graph' : quote(owner.path)
    if (wrong === 'duration') {
      const message = `${name} of ${whose} is ${shown}, which is no duration`
      const fix = 'write it as 300s, 15m or 250ms'
      this.#findings.add('R1112', { rule: 'duration_syntax', message, owner, key: name, attribute, fix, severity })
      return message
    }
    const guess = row.type === 'words' ? suggest(String(attribute.value), row.words) : undefined
    const message = `${name} of ${whose} is ${shown}, which ${wrong}`
    const fix = guess === undefined ? undefined : `write ${quote(guess)}`
    this.#findings.add('R1107', { rule: 'typed_schema', message, owner, key: name, attribute, note: didYouMean(guess), fix, severity })
    return message
  }

  /** What the operation cannot do without, and whether there is one. */
  #operation(node: DotNode, { canonical, rawType }: Resolution, operation: string, owner: Owner): string[] {
    if (operation === UNKNOWN_OPERATION) return this.#word(node, canonical, owner)
    const errors: string[] = []
    for (const group of requiredOf(operation, node.attributes)) {
      const names = group.split('|')
      if (names.some((name) => isWritten(node.attributes, name))) continue
      const message = `${quote(node.id)} is of type ${quote(rawType)} and needs ${names.join(' or ')}`
      this.#findings.add('R1107', { rule: 'typed_schema', message, owner, fix: `write ${names.join(' or ')}` })
      errors.push(message)
    }
    return errors
  }

  #word(node: DotNode, canonical: Resolution['canonical'], owner: Owner): string[] {
    const choice = choiceOf(canonical)
    if (choice === undefined) return []
    const word = textOf(node.attributes, choice.attribute)?.trim() ?? ''
    const isWord = choice.words.includes(word)
    const key = isWord ? 'op' : choice.attribute
    const attribute = node.attributes.get(key)
    const written = quote(String(attribute?.value ?? ''))
    const guess = isWord ? undefined : suggest(word, choice.words)
    const message = isWord
      ? `${choice.attribute} ${quote(word)} of ${quote(node.id)} needs an op that it knows, not ${written}`
      : `${key} of ${quote(node.id)} is ${written}, which is none of ${quoteAll(choice.words, choice.words.length)}`
    const fix = guess === undefined ? undefined : `write ${quote(guess)}`
    this.#findings.add('R1107', { rule: 'typed_schema', message, owner, key, attribute, note: didYouMean(guess), fix, severity: 'error' })
    return [message]
  }

  #weight(attributes: Attributes, attribute: Attribute, owner: Owner): void {
    if (attribute.value === '' || numberOf(attributes, 'weight') !== undefined) return
    const message = `the weight of ${quote(owner.path)} is ${quote(String(attribute.value))}, which is no number, and counts as 0`
    this.#findings.add('R1113', { rule: 'weight_numeric', message, owner, key: 'weight', attribute, fix: 'write a number' })
  }

  #suggestion(on: Place, name: string): string | undefined {
    const suggester = this.#guess.get(on) ?? attributeSuggester(on)
    this.#guess.set(on, suggester)
    const key = `${on} ${name}`
    if (!this.#guessed.has(key)) this.#guessed.set(key, suggester(name))
    return this.#guessed.get(key)
  }

  #isMentioned(name: string): boolean {
    this.#mentioned ??= mentionsOf(this.#graph)
    return this.#mentioned.has(name)
  }
}

/** Types that a finding names. */
const SHOWN = 4

function alternatives(types: readonly string[]): string {
  const shown = types.slice(0, SHOWN)
  const last = shown.pop() ?? ''
  return shown.length === 0 ? last : `${shown.join(', ')} or ${last}`
}

function isWritten(attributes: Attributes, name: string): boolean {
  const value = attributes.get(name)?.value
  return value !== undefined && value !== ''
}

const MENTION = /\$(?:graph\.)?([A-Za-z_][A-Za-z0-9_]*)|\bgraph\.([A-Za-z_][A-Za-z0-9_]*)/g

/** Names that some text of the pipeline uses as a value of the graph: `$name`, `graph.name`. */
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
