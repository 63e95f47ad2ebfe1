import { quote } from '../../../text/index.ts'
import type { DotGraph } from '../dot/graph.ts'
import { DATA_CLASSES } from './classification.ts'
import type { Findings } from './findings.ts'
import type { DataClass, TaintFlow, TypedGraph, TypedNode } from './typed.ts'

/** Reports parallel nodes whose joins were not searched: one finding, because there is one cause. */
export function reportJoins(findings: Findings, { nodes }: DotGraph, unresolved: readonly string[]): void {
  const [first] = unresolved
  const node = first === undefined ? undefined : nodes.get(first)
  if (node === undefined) return
  const more = unresolved.length === 1 ? '' : ` and of ${unresolved.length - 1} more nodes`
  const message = `where the branches of ${quote(node.id)}${more} join could not be worked out`
  findings.add('R1160', { rule: 'join_inference', message, subject: node, fix: 'write join_target' })
}

const TAINT_CODES = { missing_sanitization: 'R1161', sanitization_wiped: 'R1162', confidence_gap: 'R1163' } as const

/** Reports values that reach an input unchecked, at the attribute that names the value. */
export function reportTaint(findings: Findings, { nodes }: DotGraph, flows: readonly TaintFlow[]): void {
  for (const flow of flows) {
    const node = nodes.get(flow.node)
    if (node === undefined) continue
    const { rule, key, attribute } = flow
    findings.add(TAINT_CODES[rule], {
      rule,
      message: taintMessage(flow),
      subject: node,
      ...(attribute === '' ? {} : { key: attribute, attribute: node.attributes.get(attribute) }),
      note: `${quote(key)} is from ${quote(flow.from)}`,
    })
  }
}

function taintMessage({ rule, node, key, from, level, needs, wiped }: TaintFlow): string {
  const whose = level === 'derived' ? 'written by a model' : 'from outside'
  const what = `${quote(node)} reads ${quote(key)}, ${whose} at ${quote(from)}`
  if (rule === 'confidence_gap') return `${what}, to decide what runs, and nothing has confirmed it`
  const safety = needs.join(', ').replaceAll('_', ' ')
  if (rule === 'sanitization_wiped') return `${what} after ${quote(wiped ?? '')} had checked it for ${safety}`
  return `${what}, and nothing checks it for ${safety}`
}

/**
 * Reports edges from a node of a higher data class to one of a lower class (reference pipeline 5.4). If one class follows only
 * from the type, the finding is a warning. Data that is only internal is not reported: every simple pipeline leads from a model
 * to its exit.
 */
export function reportClasses(findings: Findings, { nodes, outgoing }: Pick<TypedGraph, 'nodes' | 'outgoing'>): void {
  const isAnyClassified = nodes.values().some(({ classified }) => classified)
  for (const from of nodes.values()) {
    // Internal data can only drop to a class that an author wrote.
    if (!isAnyClassified && rank(from.dataClassification) <= rank('internal')) continue
    for (const { edge } of outgoing.get(from.id) ?? []) {
      const to = nodes.get(edge.to)
      const severity = to === undefined ? undefined : dropSeverity(from, to)
      if (to === undefined || severity === undefined) continue
      const message = `${quote(from.id)} is ${from.dataClassification}, and leads to ${quote(to.id)}, which is ${to.dataClassification}`
      findings.add('R1164', { rule: 'taint_flow', message, subject: edge, severity })
    }
  }
}

function dropSeverity(from: TypedNode, to: TypedNode): 'error' | 'warning' | undefined {
  if (rank(from.dataClassification) <= rank(to.dataClassification)) return undefined
  if (from.classified && to.classified) return 'error'
  return to.classified || rank(from.dataClassification) > rank('internal') ? 'warning' : undefined
}

function rank(dataClass: DataClass): number {
  return DATA_CLASSES.indexOf(dataClass)
}
