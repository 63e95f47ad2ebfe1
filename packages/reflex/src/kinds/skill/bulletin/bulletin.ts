import { digest, type Fault } from '../../../kernel/index.ts'
import { progressToGoal } from '../gate/progress.ts'
import { type RankedSkill, type Ranking, type RankOptions, rankSkills } from '../gate/rank.ts'
import { relevanceOf } from '../gate/relevance.ts'
import { readWords } from '../gate/words.ts'
import type { Bulletin } from '../model/card.ts'
import { type BulletinTurn, canScore, cardCandidate, type InstalledSkill, isEligible, previewScore } from './candidates.ts'
import { type Card, writeCard } from './cards.ts'
import { faults } from './faults.ts'
import { BLOCK_SHAPES, type GuidanceCarrier } from './guidance.ts'
import { safeTokenizer, type Tokenizer } from './tokens.ts'

/** The most cards, and the tokens of a whole bulletin (seed skill 12, reference skill 1.15). */
const [MOST_CARDS, BULLETIN_TOKENS] = [5, 600]

export interface BulletinOptions extends RankOptions {
  /** The identity of the turn; eight characters of its digest stand in the bulletin. */
  readonly turn: string
  readonly kCards: number
  readonly carrier: GuidanceCarrier
  readonly tokenizer?: Tokenizer | undefined
  /** The effects that this session has had. */
  readonly done: ReadonlySet<string>
  /** The `selection` of the last bulletin that the conversation still shows. */
  readonly previous?: string | undefined
}

interface Candidate extends RankedSkill {
  readonly installed: InstalledSkill
  /** True if a label or a keyword of the skill occurs in the turn. */
  readonly overlaps: boolean
}

interface Shown {
  readonly candidate: Candidate
  readonly card: Card
  readonly reason: string
}

/**
 * Composes the bulletin of a turn: the skills that can be carried out, best first, each as one line. It is a pure function, called once for
 * a turn, and its bytes stay as they are. If there are more skills than places, the last place goes to the skill that was shown the longest
 * ago among those that have something to do with the text: a skill that is never shown is never used. If the selection is that of
 * `previous`, the text is only a mark. Without an eligible skill it is empty.
 */
export function composeBulletin(skills: readonly InstalledSkill[], turn: BulletinTurn, options: BulletinOptions): Bulletin {
  const tokenizer = safeTokenizer(options.tokenizer)
  const overflow: string[] = []
  const ranking = rankSkills(candidatesOf(skills, turn, options.done), options)
  const write = (candidate: Candidate, reason: string): Shown | undefined => {
    const card = writeCard(cardCandidate(candidate.installed, turn), tokenizer)
    if (card === undefined) overflow.push(candidate.id)
    return card === undefined ? undefined : { candidate, card, reason }
  }
  const chosen = choose(ranking, cardLimit(options.kCards).cards, write)
  const mark = digest(options.turn).slice(0, 8)
  const fitting = withinBudget(chosen, (shown) => blockText(shown, mark, options.carrier), tokenizer)
  overflow.push(...chosen.slice(fitting.length).map(({ candidate }) => candidate.id))
  const selection = digest(fitting.map(({ card }) => card.lasting).join('\n'))
  const same = fitting.length > 0 && selection === options.previous
  const text = same ? `<SKILL_BULLETIN turn="${mark}" same="true"/>` : blockText(fitting, mark, options.carrier)
  return Object.freeze({
    text,
    cards: Object.freeze(
      fitting.map(({ candidate: { id, version }, card, reason }) => Object.freeze({ id, version, tokens: card.tokens, reason })),
    ),
    overflow: Object.freeze(overflow),
    selection,
    same,
    tokens: text === '' ? 0 : tokenizer.count(text),
    tokenizer: tokenizer.name,
  })
}

/** Returns the number of cards that a host has asked for, from 1 to 5, and a warning if it asked for another one. */
export function cardLimit(kCards: number): { readonly cards: number; readonly finding?: Fault } {
  const cards = Number.isInteger(kCards) && kCards >= 1 ? Math.min(kCards, MOST_CARDS) : MOST_CARDS
  if (cards === kCards) return { cards }
  const details = { rule: 'bulletin.k_clamped', path: 'kCards', fix: `write a whole number from 1 to ${MOST_CARDS}` }
  return { cards, finding: faults.finding('R1466', `kCards is ${kCards}; a bulletin has ${cards} cards`, details) }
}

/** Returns a warning for each skill that a bulletin has left out because of its length. */
export function overflowFindings({ overflow }: Pick<Bulletin, 'overflow'>): readonly Fault[] {
  const fix = 'shorten its id or the names of its slots'
  return overflow.map((id) =>
    faults.finding('R1467', `${id} is too long for the bulletin`, { rule: 'bulletin.card_overflow', path: id, fix }),
  )
}

function candidatesOf(skills: readonly InstalledSkill[], turn: BulletinTurn, done: ReadonlySet<string>): readonly Candidate[] {
  const words = readWords(turn.userText ?? '')
  const scored = skills
    .filter((installed) => isEligible(installed, turn))
    .map((installed) => ({ installed, score: previewScore(installed, turn, words) }))
    .filter(({ score }) => canScore(score))
  const purposes = scored.map(({ installed }) => installed.skill.purpose())
  const relevance = relevanceOf(purposes, words)
  return scored.map(({ installed, score: { normalised, matched } }, i) => {
    const { manifest } = installed.skill
    return {
      id: manifest.id,
      version: manifest.version,
      normalised,
      relevance: relevance[i] ?? 0,
      progress: progressToGoal(manifest, turn.board, done),
      followed: installed.followed,
      successes: installed.stats.successes,
      installed,
      overlaps: matched.label !== undefined || matched.keyword !== undefined,
    }
  })
}

/** Chooses the best candidates whose cards fit, and for the last place the one that was shown the longest ago. */
function choose(
  { order, tie_break }: Ranking<Candidate>,
  places: number,
  write: (candidate: Candidate, reason: string) => Shown | undefined,
): readonly Shown[] {
  const shown: Shown[] = []
  const tried = new Set<Candidate>()
  const take = (candidate: Candidate, reason: string): void => {
    if (shown.length === places || tried.has(candidate)) return
    tried.add(candidate)
    const written = write(candidate, reason)
    if (written !== undefined) shown.push(written)
  }
  const reasonAt = (i: number): string => tie_break[i]?.rule ?? 'last'
  const rotates = order.length > places && places > 1
  for (const [i, candidate] of order.entries()) {
    if (shown.length === (rotates ? places - 1 : places)) break
    take(candidate, reasonAt(i))
  }
  if (rotates) for (const candidate of byLastShown(order)) take(candidate, 'rotation')
  // Nothing else has to do with the text: the next best.
  for (const [i, candidate] of order.entries()) take(candidate, reasonAt(i))
  return shown
}

function byLastShown(candidates: readonly Candidate[]): readonly Candidate[] {
  const when = ({ installed }: Candidate): number => installed.lastShown ?? Number.NEGATIVE_INFINITY
  const waiting = candidates.filter(({ overlaps }) => overlaps)
  return waiting.sort((a, b) => (when(a) === when(b) ? (a.id < b.id ? -1 : 1) : when(a) - when(b)))
}

/** Returns as many of the first cards as a bulletin can have. */
function withinBudget(shown: readonly Shown[], textOf: (shown: readonly Shown[]) => string, tokenizer: Tokenizer): readonly Shown[] {
  for (let count = shown.length; count > 0; count--) {
    const first = shown.slice(0, count)
    if (tokenizer.count(textOf(first)) <= BULLETIN_TOKENS) return first
  }
  return []
}

/** `*` marks what is known already, so that the model does not ask for it. */
function blockText(shown: readonly Shown[], mark: string, carrier: GuidanceCarrier): string {
  if (shown.length === 0) return ''
  const legend = shown.some(({ card }) => card.hasKnown) ? '* is known.\n' : ''
  const lines = shown.map(({ card }) => card.text).join('\n')
  return `<SKILL_BULLETIN turn="${mark}">\n${BLOCK_SHAPES[carrier]}${legend}${lines}\n</SKILL_BULLETIN>`
}
