/** Starts a run on a server, answers its question and prints what happens. The argument is the address that `reflex serve` prints. */
import { ReflexClient, ReflexError } from 'reflex-runtime/client'

const [address = ''] = process.argv.slice(2)
if (!URL.canParse(address)) {
  console.error('give the address that reflex serve prints, in quotes: npx node examples/13-over-http/client.ts "ADDRESS"')
  process.exit(2)
}
const { origin, hash } = new URL(address)
const client = new ReflexClient({ url: origin, token: hash.replace('#token=', '') })

try {
  // The key makes a repeated start return the same run, also after a crash of this process.
  const { run } = await client.runs.start({ program: 'pipeline:release', input: { version: '1.4.0' } }, { idempotencyKey: 'release-1.4.0' })
  for await (const { id, data } of client.runs.events(run)) {
    const lines = data['lines'] as readonly { readonly mark: string; readonly place: string; readonly text?: string }[]
    for (const { mark, place, text = '' } of lines) {
      console.log(`${id}  ${mark}  ${place}  ${text}`)
      if (mark === 'ask') await answer(run)
    }
    if (typeof data['ended'] === 'string') console.log(`${run} has ${data['ended']}`)
  }
} catch (thrown) {
  if (!(thrown instanceof ReflexError)) throw thrown
  console.error(`error ${thrown.code}  ${thrown.message}\n  fix    ${thrown.fix ?? ''}`)
  process.exitCode = 1
}

/** Answers the open question of a run, with the reason for the journal. A question that somebody else has answered needs nothing. */
async function answer(run: string): Promise<void> {
  const { questions } = await client.runs.questions(run)
  const [question] = questions
  if (question === undefined) return
  const name = question.id.slice(run.length + 1)
  const { answered } = await client.questions.answer(run, name, { value: 'yes', reason: 'the tests of 1.4.0 pass' })
  console.log(`${answered.by} answers ${JSON.stringify(answered.value)}, because ${answered.reason ?? ''}`)
}
