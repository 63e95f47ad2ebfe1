/**
 * An agent handles 200 tasks bare, wrapped, and wrapped with the skills that were learned from 200 other tasks. Prints what each way needs, by the
 * sort of request. `--trouble`: with tools that fail and contexts that get lost. `--seed 3`: other tasks.
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
const tasks = makeTasks(Number(valueOf('--seed') ?? 2), COUNT, false)
const untroubled = await bareArm(tasks)
const bare = trouble === undefined ? untroubled : await bareArm(tasks, trouble)
const wrapped = await wrappedArm(tasks, { folder, store: 'memory:', ...(trouble === undefined ? {} : { trouble }) })
const learned = await wrappedArm(tasks, { folder, ...(trouble === undefined ? {} : { trouble }) })

const isSame = bare.every(({ calls, prompt, completion, state }, i) => {
  const other = wrapped[i]
  return other?.calls === calls && other.prompt === prompt && other.completion === completion && other.state === state
})
console.log(`wrapped without skills: ${isSame ? 'equal to bare in every call, token and end state' : 'not equal to bare'}`)
const rows = rowsOf(untroubled, [bare, learned])
const all = rows.at(-1)
console.log(`right end state and answer: bare ${all?.before.right} of ${COUNT}, with skills ${all?.after.right} of ${COUNT}\n`)
console.log(`bare → with skills${trouble === undefined ? '' : ', while tools fail and contexts get lost'}; ! costs more`)
console.log(`${tableOf(rows)}\n`)
const ends = Object.entries(endsOf(learned)).map(([end, count]) => `${count} ${end}`)
const shown = learned.reduce((sum, one) => sum + one.shown, 0)
console.log(`proposals: ${ends.join(' · ')}`)
console.log(`${(shown / 1000).toFixed(0)} k of the tokens stand there for skills: bulletins, proposals, results`)
const { saved, lost, share, found } = breakEven(bare, learned)
const cents = (dollars: number): string => (dollars * 100).toFixed(4)
console.log(`a task with a skill saves ${cents(saved)} cents, any other costs ${cents(lost)} cents more`)
console.log(`so skills pay as soon as ${percent(share)} of the tasks have one; here ${percent(found)} do`)
console.log(`learning and testing asked no model: ${skills.length} skills of ${COUNT} runs by ${2 * skills.length + 1} commands`)
console.log(`the model is a script that proposes ${percent(HABITS.proposes)} of what fits: this proves mechanics, not that models propose`)

function percent(value: number): string {
  return `${(value * 100).toFixed(0)} %`
}

function valueOf(flag: string): string | undefined {
  const at = process.argv.indexOf(flag)
  return at < 0 ? undefined : process.argv[at + 1]
}
