import { equalJson, isList } from '../../kernel/index.ts'
import { manifestJson } from '../../kinds/skill/manifest/canonical.ts'
import { suggestVersion } from '../../kinds/skill/manifest/version.ts'
import type { Manifest } from '../../kinds/skill/model/manifest.ts'

/** The share of symbols from which on two patterns are near duplicates. */
const ALIKE = 0.9

/** What a draft is beside the skills that are known. */
export type Novelty =
  | { readonly is: 'new' }
  /** The same pattern with the same manifest: there is nothing to do. */
  | { readonly is: 'known'; readonly id: string; readonly version: string }
  /** The next version of a skill: of the same pattern, or of one that is nearly the same. */
  | { readonly is: 'update'; readonly id: string; readonly from: string; readonly because: 'same_pattern' | 'near_duplicate' }

/** The skills that are known, to which drafts are compared. */
export class KnownSkills {
  readonly #skills: readonly Manifest[]
  readonly #taken: Set<string>

  /** `skills`: the newest version of each. */
  constructor(skills: readonly Manifest[]) {
    this.#skills = skills
    this.#taken = new Set(skills.map(({ id }) => id))
  }

  isTaken(id: string): boolean {
    return this.#taken.has(id)
  }

  take(id: string): void {
    this.#taken.add(id)
  }

  /** Returns the skill of the same pattern. */
  ofPattern(hash: string): Manifest | undefined {
    return this.#skills.find(({ provenance }) => provenance.pattern === hash)
  }

  /** Returns a skill whose calls and slots are nearly those of a draft. */
  like(draft: Manifest): Manifest | undefined {
    const symbols = symbolsOf(draft)
    return this.#skills.find((skill) => jaccard(symbolsOf(skill), symbols) >= ALIKE && equalSlots(skill, draft))
  }
}

/** Returns a draft as the next version of a known skill, or says that it is the same. What the miner counted is no change. */
export function asVersionOf(
  known: Manifest,
  draft: Manifest,
  because: 'same_pattern' | 'near_duplicate',
): { readonly manifest: Manifest; readonly novelty: Novelty } {
  const renamed = { ...draft, id: known.id, title: known.title }
  const compared = { ...renamed, version: known.version, provenance: known.provenance, extra: known.extra }
  const isSame = equalJson(manifestJson(known), manifestJson(compared))
  if (isSame) return { manifest: known, novelty: { is: 'known', id: known.id, version: known.version } }
  const { version } = suggestVersion(known, compared)
  return { manifest: { ...renamed, version }, novelty: { is: 'update', id: known.id, from: known.version, because } }
}

function symbolsOf({ extra }: Manifest): readonly string[] {
  const mined = extra.x_mined_symbols
  return isList(mined) ? mined.filter((symbol): symbol is string => typeof symbol === 'string') : []
}

function jaccard(a: readonly string[], b: readonly string[]): number {
  const [one, other] = [new Set(a), new Set(b)]
  const shared = [...one].filter((symbol) => other.has(symbol)).length
  return shared === 0 ? 0 : shared / (one.size + other.size - shared)
}

function equalSlots(a: Manifest, b: Manifest): boolean {
  const slots = ({ signature }: Manifest): string =>
    signature.inputs
      .map(({ name, type }) => `${name}:${type}`)
      .sort()
      .join()
  return slots(a) === slots(b)
}
