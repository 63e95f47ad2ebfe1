import { Fault, type Json } from '../../../kernel/index.ts'
import { checkSchema, type JsonText, type Locator, readJson } from '../../../text/index.ts'
import type { ClusterDefinition } from '../model/document.ts'
import { decodeCluster, type ClusterJson } from './decode.ts'
import { findRoundedNumbers } from './numbers.ts'
import { documentLocator } from './places.ts'
import { clusterFile } from './schema.ts'

/** A definition with the places of its parts: paths are those of the object forms, such as `edges[3].to.port` and `nodes.a.selector`. */
export interface DefinitionSource {
  readonly definition: ClusterDefinition
  readonly locate: Locator
}

/** A document as read: its definition unless it has errors, and all findings. */
export interface ReadDefinition {
  readonly source?: DefinitionSource
  readonly findings: readonly Fault[]
}

/**
 * Reads a `*.dataflow.json`, which can have comments and trailing commas. Finds every mistake of the syntax, the shape, the names, the
 * references and the numbers, each with its place. Never throws. The rules of clusters and graphs come later (`expand`, `validateGraph`).
 */
export function readDefinition(text: string, file?: string): ReadDefinition {
  const json = readJson(text, file)
  // Numbers that lose digits are errors here, found below with the rule of the reference.
  const syntax = json.findings
    .filter(({ code }) => code !== 'R1004')
    .map((finding) => (finding.code === 'R1002' ? repeated(finding, json) : finding))
  if (json.value === undefined || syntax.some(({ severity }) => severity === 'error')) return { findings: syntax }
  return decode(json.value, documentLocator(json.value, json), syntax, json)
}

/** Reads a document that is a value, such as the argument of `dataflow`. Its findings have paths only. */
export function decodeDefinition(value: unknown): ReadDefinition {
  return decode(value, documentLocator(value), [])
}

/** Returns the definition of a stored source. Throws the first finding of one that cannot be read. */
export function definitionOf(json: Json): ClusterDefinition {
  const { source, findings } = decodeDefinition(json)
  if (source !== undefined) return source.definition
  throw findings[0] ?? new TypeError('a document without a definition has a finding')
}

function decode(value: unknown, locate: Locator, before: readonly Fault[], json?: JsonText): ReadDefinition {
  const shape = checkSchema(clusterFile(), value, { locate: withTypeRule(locate) })
  const numbers = json === undefined ? [] : findRoundedNumbers(json, locate)
  if (shape.length > 0) return { findings: [...before, ...numbers, ...shape] }
  const { definition, findings } = decodeCluster(value as ClusterJson, locate, json)
  const all = [...before, ...numbers, ...findings]
  return all.some(({ severity }) => severity === 'error') ? { findings: all } : { source: { definition, locate }, findings: all }
}

/** Adds rule D.7 to what is found at the type of a parameter. */
function withTypeRule(locate: Locator): Locator {
  return (path, options) => {
    const isType = path.length === 3 && path[0] === 'parameters' && path[2] === 'type'
    return { ...locate(path, options), ...(isType ? { rule: 'D.7' } : {}) }
  }
}

/** Makes an error of a repeated key: the node, output or binding before it would vanish. Two outputs of one name break rule D.6. */
function repeated(finding: Fault, json: JsonText): Fault {
  const offset = json.source.lines.offset({ line: finding.line ?? 1, column: finding.column ?? 1 })
  const outputs = json.place(['outputs'])
  const isOutput = outputs.offset > 0 && offset > outputs.offset && offset < outputs.offset + outputs.length
  const { code, message, verdict, file, line, column, length, frame, fix } = finding
  const rule = isOutput ? { rule: 'D.6' } : {}
  return new Fault(code, message, verdict, { severity: 'error', file, line, column, length, frame, fix, ...rule })
}
