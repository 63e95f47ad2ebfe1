import { isList, isObject, type Json } from '../../kernel/index.ts'
import type { CaseCall } from './recorded-tools.ts'

/** A value of a slot before and after a mutation. */
export interface ChangedValue {
  readonly before: string
  readonly after: string
}

/**
 * Compares the calls of a mutated case with those of the case that it was made from: a value may stand where the value before it stood, and
 * nowhere else; it never makes or ends an argument, an option, an authority of a URL or a folder (reference skill 1.6, 1.23). It knows the
 * calls alone, not the templates, so it finds what a template engine gets wrong. Returns every difference in words.
 */
export function structureProblems(calls: readonly CaseCall[], base: readonly CaseCall[], changed?: ChangedValue): readonly string[] {
  return calls.flatMap((call) => {
    const model = base.find(({ step, tool }) => step === call.step && tool === call.tool)
    return model === undefined ? [] : valueProblems(call.args, model.args, { at: call.step, isWord: false, changed })
  })
}

interface Place {
  readonly at: string
  /** True for an element of a list, such as an argument of a program. */
  readonly isWord: boolean
  readonly changed: ChangedValue | undefined
}

function valueProblems(value: Json, model: Json, place: Place): readonly string[] {
  const { at } = place
  if (isList(model)) {
    if (!isList(value) || value.length !== model.length)
      return [`${at} has ${isList(value) ? value.length : 'no'} elements in place of ${model.length}`]
    return value.flatMap((one, index) => valueProblems(one, model[index] ?? null, { ...place, at: `${at}[${index}]`, isWord: true }))
  }
  if (isObject(model)) {
    if (!isObject(value)) return [`${at} is no object any more`]
    const keys = [...new Set([...Object.keys(value), ...Object.keys(model)])]
    return keys.flatMap((key) =>
      Object.hasOwn(value, key) && Object.hasOwn(model, key)
        ? valueProblems(value[key] ?? null, model[key] ?? null, { ...place, at: `${at}.${key}`, isWord: false })
        : [`${at} has another set of keys: ${key}`],
    )
  }
  if (typeof value !== 'string' || typeof model !== 'string' || value === model) return []
  return textProblems(value, model, place)
}

function textProblems(value: string, model: string, { at, isWord, changed }: Place): readonly string[] {
  // The whole text is the value of the slot: only its type bounds it.
  const isWhole = changed !== undefined && model === changed.before
  return [
    ...(isWord && value.startsWith('-') && !model.startsWith('-') ? [`${at} has become an option: ${value}`] : []),
    ...(changed === undefined || isWhole ? [] : frameProblems(value, model, changed, at)),
    ...(isWhole ? [] : urlProblems(value, model, changed, at)),
  ]
}

/** The text around the value must be the same as before. */
function frameProblems(value: string, model: string, { before }: ChangedValue, at: string): readonly string[] {
  const from = before === '' ? -1 : model.indexOf(before)
  if (from < 0) return []
  const head = model.slice(0, from)
  const tail = model.slice(model.lastIndexOf(before) + before.length)
  const isFramed = value.length >= head.length + tail.length && value.startsWith(head) && value.endsWith(tail)
  if (!isFramed) return [`${at} is ${value}, outside of ${head}…${tail}`]
  const inner = value.slice(head.length, value.length - tail.length)
  const isPath = head.includes('/') || tail.startsWith('/')
  return isPath && inner.split(/[/\\]/).includes('..') ? [`${at} leaves its folder: ${value}`] : []
}

function urlProblems(value: string, model: string, changed: ChangedValue | undefined, at: string): readonly string[] {
  const was = urlOf(model)
  if (was === undefined) return []
  const now = urlOf(value)
  if (now === undefined) return [`${at} is no URL any more: ${value}`]
  const { before = '', after = '' } = changed ?? {}
  const host = before === '' ? was.hostname : was.hostname.replaceAll(before.toLowerCase(), after.toLowerCase())
  const isSame = now.protocol === was.protocol && now.port === was.port && now.username === was.username && now.password === was.password
  if (!isSame || (now.hostname !== was.hostname && now.hostname !== host)) return [`${at} has another authority: ${value}`]
  const isSameDepth = now.pathname.split('/').length === was.pathname.split('/').length
  return isSameDepth ? [] : [`${at} has another path: ${value}`]
}

function urlOf(text: string): URL | undefined {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined
}
