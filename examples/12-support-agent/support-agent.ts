/**
 * An agent handles 200 tasks bare, wrapped, and wrapped with the skills that were learned from 200 other tasks. Prints what each way needs, by the
 * sort of request. `--trouble`: with tools that fail and contexts that get lost.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { learnSkills } from './learn.ts'
import { HABITS } from './model.ts'
import { breakEven, endsOf, rowsOf, tableOf } from './report.ts'
import { makeTasks } from './tasks.ts'
import { bareArm, learnedFrom, wrappedArm } from './worlds.ts'

const COUNT = 200
const trouble = process.argv.includes('--trouble') ? { outages: 0.1, slow: 0.05, lostContext: 0.2 } : undefined
const folder = mkdtempSync(join(tmpdir(), 'reflex-support-agent-'))

console.log(`an agent learns from ${COUNT} tasks and handles ${COUNT} others · ${folder}\n`)
await learnedFrom(folder, COUNT)
const skills = learnSkills(folder, (text) => console.log(text))
const tasks = makeTasks(2, COUNT, false)
const untroubled = await bareArm(tasks)
const bare = trouble === undefined ? untroubled : await bareArm(tasks, trouble)
const wrapped = await wrappedArm(tasks, { folder, store: 'memory:', ...(trouble === undefined ? {} : { trouble }) })
const learned = await wrappedArm(tasks, { folder, ...(trouble === undefined ? {} : { trouble }) })

const arms = trouble === undefined ? [bare, wrapped, learned] : [untroubled, bare, learned]
console.log(
  trouble === undefined ? 'bare and wrapped → with skills' : 'bare, nothing goes wrong → bare, in trouble → with skills, in trouble',
)
console.log(`${tableOf(rowsOf(arms))}\n`)
const ends = Object.entries(endsOf(learned)).map(([end, count]) => `${count} ${end}`)
const shown = learned.reduce((sum, one) => sum + one.shown, 0)
console.log(`proposals: ${ends.join(' · ')}`)
console.log(`of the tokens that went in, ${shown} stand there for skills: bulletins, proposals and results`)
const { saved, lost, share, found } = breakEven(bare, learned)
const cents = (dollars: number): string => (dollars * 100).toFixed(4)
console.log(`a task with a skill saves ${cents(saved)} cents, any other costs ${cents(lost)} cents more`)
console.log(`so skills pay from ${percent(share)} of tasks on; here ${percent(found)} of them had one`)
console.log(`learning asks no model: ${skills.length} skills of ${COUNT} runs, ${2 * skills.length + 1} commands`)
console.log(`the model is scripted and proposes ${percent(HABITS.proposes)} of what fits: this proves mechanics, not that models propose`)

function percent(value: number): string {
  return `${(value * 100).toFixed(0)} %`
}
