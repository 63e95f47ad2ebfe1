import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import type { AttributeValue } from '../../dot/graph.ts'
import { quote, didYouMean, suggest } from '../../../../text/index.ts'

/** The attributes that a mutation sets; `null` removes one. */
export type AttributeChanges = ReadonlyMap<string, AttributeValue | null>

/** A change that a pipeline makes to itself (seed pipeline 14.2). */
export type Mutation =
  | { readonly op: 'add_node'; readonly id: string; readonly attrs: AttributeChanges }
  | { readonly op: 'remove_node'; readonly id: string }
  | { readonly op: 'modify_attrs'; readonly id: string; readonly attrs: AttributeChanges }
  | { readonly op: 'add_edge'; readonly from: string; readonly to: string; readonly attrs: AttributeChanges }
  | {
      readonly op: 'remove_edge'
      readonly from: string
      readonly to: string
      readonly condition?: string | undefined
      readonly label?: string | undefined
    }

const OPERATIONS: readonly Mutation['op'][] = ['modify_attrs', 'add_edge', 'remove_edge', 'add_node', 'remove_node']

/** The refusal of a list of mutations: one invalid mutation refuses all. */
export class MutationRefused extends Error {}

/** Throws the refusal of a list of mutations. */
export function refuse(reason: string): never {
  throw new MutationRefused(reason)
}

const ID = /^[A-Za-z_]\w*$/
/** Keywords of DOT, which cannot be ids. */
const KEYWORD = /^(?:graph|digraph|node|edge|subgraph|strict)$/i
const KEY = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/

/**
 * Reads a list of mutations from JSON text or from a list (reference pipeline 9). Throws `MutationRefused` for anything that is
 * not a list of known operations with all their fields.
 */
export function readMutations(value: Json, most: number): readonly Mutation[] {
  const list = typeof value === 'string' ? parseMutations(value) : value
  if (!isList(list)) return refuse('the mutations are not a list')
  if (list.length === 0) return refuse('there are no mutations')
  if (list.length > most) return refuse(`${list.length} mutations are more than the ${most} that max_mutations allows`)
  return list.map((item, i) => mutationOf(item, `mutation ${i + 1}`))
}

function parseMutations(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return refuse('the mutations are not JSON')
  }
}

function mutationOf(item: Json, which: string): Mutation {
  if (!isObject(item)) return refuse(`${which} is not an object`)
  const op = OPERATIONS.find((known) => known === item['op'])
  const where = `${which} (${op ?? 'op'})`
  switch (op) {
    case 'add_node':
      return { op, id: newId(item, where), attrs: changesOf(item, where, false) }
    case 'remove_node':
      return { op, id: textIn(item, 'id', where) }
    case 'modify_attrs':
      return { op, id: textIn(item, 'id', where), attrs: requiredChanges(item, where) }
    case 'add_edge':
      return { op, from: textIn(item, 'from', where), to: textIn(item, 'to', where), attrs: changesOf(item, where, false) }
    case 'remove_edge': {
      const [condition, label] = [optionalText(item, 'condition', where), optionalText(item, 'label', where)]
      return { op, from: textIn(item, 'from', where), to: textIn(item, 'to', where), condition, label }
    }
    default:
      return refuse(unknownOperation(item['op'], which))
  }
}

function unknownOperation(op: Json | undefined, which: string): string {
  if (op === undefined) return `${which} has no op`
  const name = typeof op === 'string' ? op : JSON.stringify(op)
  return `${which} has the unknown op ${quote(name)}${hintText(didYouMean(suggest(name, OPERATIONS)))}`
}

function hintText(hint: string | undefined): string {
  return hint === undefined ? '' : `; ${hint}`
}

function textIn(item: JsonObject, field: string, where: string): string {
  const value = item[field]
  return typeof value === 'string' && value !== '' ? value : refuse(`${where} has no ${field}`)
}

function optionalText(item: JsonObject, field: string, where: string): string | undefined {
  const value = item[field]
  if (value === undefined || value === null) return undefined
  return typeof value === 'string' ? value : refuse(`${where}: ${field} is not a text`)
}

function newId(item: JsonObject, where: string): string {
  const id = textIn(item, 'id', where)
  return ID.test(id) && !KEYWORD.test(id) ? id : refuse(`${where}: ${quote(id)} is not a valid id`)
}

function requiredChanges(item: JsonObject, where: string): AttributeChanges {
  const attrs = changesOf(item, where, true)
  return attrs.size > 0 ? attrs : refuse(`${where} has no attrs`)
}

function changesOf({ attrs }: JsonObject, where: string, mayDelete: boolean): AttributeChanges {
  if (attrs === undefined || attrs === null) return new Map()
  if (!isObject(attrs)) return refuse(`${where}: attrs must be an object`)
  const changes = Object.entries(attrs).map(([key, value]): [string, AttributeValue | null] => {
    if (!KEY.test(key)) return refuse(`${where}: ${quote(key)} is not a valid attribute name`)
    if (value === null && mayDelete) return [key, null]
    if (typeof value === 'string' || typeof value === 'boolean') return [key, value]
    if (typeof value === 'number' && Number.isFinite(value)) return [key, value]
    return refuse(`${where}: ${key} is not text, a number or a boolean`)
  })
  return new Map(changes)
}
