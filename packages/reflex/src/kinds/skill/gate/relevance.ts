import type { Manifest } from '../model/manifest.ts'
import { stem, type TextWords, wordsOf } from './words.ts'

/**
 * Returns the stems of everything that a manifest says about its purpose: id, title, description, labels, keywords, and the names and choices of
 * its slots. They are compared with those of the text of a user.
 */
export function purposeStems({ id, title, description, activation, signature }: Manifest): ReadonlySet<string> {
  const slots = signature.inputs.flatMap(({ name, enum: choices = [] }) => [name, ...choices])
  const texts = [id, title, description, ...activation.goal_labels, ...activation.keywords_any, ...slots]
  return new Set(wordsOf(texts.join(' ')).map(stem))
}

/**
 * Returns for each skill how well it fits a text: each word that they share counts as many as there are skills without this word. So a word that
 * all skills have counts nothing, and one that only a few have counts much. All results are integers. The work is that of looking up each
 * stem of each skill once, however long the text is.
 */
export function relevanceOf(skills: readonly ReadonlySet<string>[], { stems }: TextWords): readonly number[] {
  const shared = skills.map((purpose) => [...purpose].filter((one) => stems.has(one)))
  const having = new Map<string, number>()
  for (const one of shared.flat()) having.set(one, (having.get(one) ?? 0) + 1)
  return shared.map((own) => own.reduce((sum, one) => sum + skills.length - (having.get(one) ?? 0), 0))
}
