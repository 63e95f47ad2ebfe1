import { type BulletinOptions, composeBulletin } from '../../../../src/kinds/skill/bulletin/bulletin.ts'
import { decide } from '../../../../src/kinds/skill/gate/decide.ts'
import { skillsOf, type World } from './questions.ts'
import { snapshot } from './support.ts'

/** What came of questions. `approved` is the first card, proposed without a thought; `first` of them are what was asked for. */
export interface Measured {
  readonly questions: number
  /** Questions that a skill of this environment answers. */
  readonly possible: number
  /** Of these, those with the right skill among the cards. */
  readonly among: number
  /** Questions with a card. */
  readonly shown: number
  readonly clarify: number
  readonly denied: number
  readonly approved: number
  readonly first: number
}

const OPTIONS: BulletinOptions = {
  turn: '',
  kCards: 5,
  carrier: 'text',
  epsilon: 0,
  transitions: { executed: 0, skills: 24 },
  done: new Set(),
}

/**
 * Asks the questions of a world, each in a turn of its own, with a model that always proposes the first card of the bulletin and the number of the
 * question. A real model reads the cards; this one shows what the words of skills, the order of cards and the gate are worth without it.
 */
export function measure(world: World, questions: number): Measured {
  const skills = skillsOf(world)
  const counts = { questions, possible: 0, among: 0, shown: 0, clarify: 0, denied: 0, approved: 0, first: 0 }
  for (let i = 0; i < questions; i++) {
    const { userText, wanted } = world.question(i)
    const turn = snapshot({ userText })
    const { cards } = composeBulletin(skills, turn, { ...OPTIONS, turn: String(i) })
    if (wanted !== undefined) counts.possible++
    if (cards.some(({ id }) => id === wanted)) counts.among++
    const chosen = skills.find(({ skill }) => skill.manifest.id === cards[0]?.id)
    if (chosen === undefined) continue
    counts.shown++
    const number = /X-\d{4}/.exec(userText)?.[0]
    const inputs = number === undefined ? {} : { number }
    const { verdict } = decide(chosen.skill, turn, { carrier: 'text', skill_ref: chosen.skill.manifest.id, inputs })
    counts[verdict]++
    if (verdict === 'approved' && chosen.skill.manifest.id === wanted) counts.first++
  }
  return counts
}

/**
 * Returns the figures as the page of learning has them. Precision is the share of approvals whose skill was asked for: an approval of a question that no
 * skill answers is a wrong one. The other rates are shares of all questions, so nobody can raise the precision unseen by approving less.
 */
export function tableRow(name: string, { questions, possible, approved, first, clarify, shown }: Measured): string {
  const share = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`
  const rates = [share(approved, questions), share(clarify, questions), share(questions - shown, questions)]
  return `| ${name} | ${share(first, approved)} (${first} of ${approved}) | ${rates.join(' | ')} | ${share(first, possible)} (${first} of ${possible}) |`
}
