import { canonicalJson, digest, type Json } from '../../kernel/index.ts'
import { faults } from '../shapes/faults.ts'

/** The version of the miner: it changes whenever equal logs can give other patterns. */
export const MINER = '2'

/** The cost of showing skills in one turn, in each unit. */
export interface BulletinCost {
  readonly usd: number
  readonly tokens: number
}

/** The parameters of mining (reference skill 1.21). */
export interface MiningParams {
  /** The number of runs: the last ones that succeeded. */
  readonly window: number
  /** The facts of the target: a run with another value of one of these labels, or without it, is left out. */
  readonly compat: Readonly<Record<string, string>>
  /** The least share of runs with the pattern, and the least number. */
  readonly support: number
  readonly supportFloor: number
  readonly minLength: number
  /** At most 12. */
  readonly maxLength: number
  /** The least share of occurrences in which every call succeeded. */
  readonly success: number
  /** The most that a skill may cost, as a share of what the calls cost without it. */
  readonly cost: number
  readonly bulletin: BulletinCost
  /** The least support, as a share of that of the pattern without its first or last call. */
  readonly cohesion: number
  /** The least number of different calls before the pattern, and after it; the start and the end of a run count as one. */
  readonly variety: number
  /** The share of occurrences for which the rule of a value must hold. */
  readonly agreement: number
  /** The number of rejected patterns that are listed. */
  readonly listed: number
}

export const MINING_DEFAULTS: MiningParams = {
  window: 10_000,
  compat: {},
  support: 0.02,
  supportFloor: 5,
  minLength: 2,
  maxLength: 12,
  success: 0.95,
  cost: 0.6,
  bulletin: { usd: 0, tokens: 0 },
  cohesion: 0.5,
  variety: 3,
  agreement: 0.95,
  listed: 1_000,
}

const SHARES = ['support', 'success', 'cohesion', 'agreement'] as const
const COUNTS = ['window', 'supportFloor', 'variety', 'listed'] as const
const LONGEST = 12

/** Completes parameters. Throws `R1485` for one that is not valid. */
export function miningParams(given: Partial<MiningParams> = {}): MiningParams {
  const params = { ...MINING_DEFAULTS, ...given }
  const { minLength, maxLength, cost, bulletin } = params
  for (const name of SHARES) if (!(params[name] >= 0 && params[name] <= 1)) throw notValid(name, 'a number from 0 to 1')
  for (const name of COUNTS) if (!Number.isSafeInteger(params[name]) || params[name] < 0) throw notValid(name, 'a whole number from 0')
  if (!isLength(minLength)) throw notValid('minLength', `a whole number from 2 to ${LONGEST}`)
  if (!isLength(maxLength) || maxLength < minLength) throw notValid('maxLength', `a whole number from minLength to ${LONGEST}`)
  if (!(cost >= 0)) throw notValid('cost', 'a number from 0')
  if (!(bulletin.usd >= 0 && bulletin.tokens >= 0)) throw notValid('bulletin', 'amounts from 0')
  return params
}

/** Returns the hash of parameters, which is a part of the provenance of a skill. */
export function paramsHash(params: MiningParams): string {
  return digest(canonicalJson(params as unknown as Json)).slice(0, 16)
}

function isLength(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 2 && value <= LONGEST
}

function notValid(name: string, expected: string): Error {
  return faults.make('R1485', `the parameter ${name} must be ${expected}`, { path: name })
}
