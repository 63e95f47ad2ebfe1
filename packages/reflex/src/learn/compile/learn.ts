import type { Manifest } from '../../kinds/skill/model/manifest.ts'
import { isEligible, minePatterns, type MiningOptions, type MiningReport } from '../mine/mine.ts'
import type { StoredShape } from '../shapes/update-shapes.ts'
import { TermCounter } from './activation-terms.ts'
import { type CompileOptions, compilePatterns, type SkillDraft } from './compile-pattern.ts'

/** What learning needs besides the shapes. */
export interface LearnOptions extends MiningOptions, Omit<CompileOptions, 'paramsHash' | 'terms'> {
  readonly known?: readonly Manifest[]
}

/** The patterns that were found, and a draft for each. */
export interface Learned {
  readonly report: MiningReport
  readonly drafts: readonly SkillDraft[]
}

/**
 * Mines shapes and compiles what it finds to drafts. `shapes` is called several times and must give the same runs each time. Nothing is registered,
 * and nothing becomes active. Throws `R1485` for a parameter that is not valid.
 */
export async function learn(shapes: () => AsyncIterable<StoredShape> | Iterable<StoredShape>, options: LearnOptions): Promise<Learned> {
  const report = await minePatterns(shapes(), options)
  const counter = new TermCounter(report.patterns, options.known)
  const { params } = report
  if (report.patterns.length > 0) {
    for await (const { shape } of shapes()) if (isEligible(shape, params)) counter.collect(shape)
    for await (const { shape } of shapes()) if (isEligible(shape, params)) counter.count(shape)
    for await (const { shape } of shapes()) if (isEligible(shape, params)) counter.compare(shape)
  }
  const terms = report.patterns.map((_, i) => counter.terms(i))
  return { report, drafts: compilePatterns(report.patterns, { ...options, paramsHash: report.miner.params_hash, terms }) }
}
