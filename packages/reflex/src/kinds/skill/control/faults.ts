import { defineFaults } from '../../../kernel/index.ts'

const ASKING = 'when a control plane is asked'

/** The catalogue entries of control planes (R2170 to R2176). */
export const faults = defineFaults({
  R2170: {
    title: 'The control plane does not answer',
    verdict: 'retry',
    when: ASKING,
    rules: ['degraded'],
    means:
      'The control plane cannot be reached, is too slow, fails, or sends an answer of another form. Work continues: a skill that changes nothing outside runs. A skill that changes something runs only with a verdict that is still fresh. Reports are sent when the control plane answers again.',
    often: 'a network that is down, a deployment of the control plane, a wrong address',
    fix: 'Run `reflex skill sync` when it is back; `curl` the address to see what it says.',
  },
  R2171: {
    title: 'The control plane answers again',
    verdict: 'fail',
    severity: 'info',
    when: ASKING,
    means: 'It did not answer before, and now it does. Verdicts are asked for again.',
    fix: 'There is nothing to do.',
  },
  R2172: {
    title: 'The control plane has refused a request',
    verdict: 'fail',
    when: ASKING,
    means:
      'It answered with a status from 400 to 499: the request is not right, or the token may not make it. The same request would be refused again.',
    often: 'a token that has expired, a project that the control plane does not know',
    fix: 'Set REFLEX_CONTROL_TOKEN to a token that may do this.',
  },
  R2173: {
    title: 'A skill of the control plane is refused',
    verdict: 'fail',
    severity: 'warning',
    when: 'when skills are synchronised',
    means:
      'The control plane sent a manifest that is not what it says: its text has another hash, its signature does not fit, a version that is here has another text, or the manifest is not valid. It was not kept, and the version that is active stays so.',
    often: 'a manifest that was changed on the way, a version whose text was changed without a new number',
    fix: 'Ask who runs the control plane to send the skill again, under a new version if its text is new.',
  },
  R2174: {
    title: 'The settings of the control plane are not valid',
    verdict: 'fail',
    when: 'when a Reflex is made',
    means: 'A control plane has an address that begins with https:// (or http:// on this machine), and its public key is an Ed25519 key.',
    fix: 'Write skill: { controlPlane: { url: "https://…", token: "…" } }, or set REFLEX_CONTROL_PLANE and REFLEX_CONTROL_TOKEN.',
  },
  R2175: {
    title: 'There is no control plane',
    verdict: 'fail',
    when: ASKING,
    means: 'The command exchanges skills with a control plane, and none is set.',
    fix: 'Set REFLEX_CONTROL_PLANE to its address and REFLEX_CONTROL_TOKEN to a token.',
  },
  R2176: {
    title: 'There is no such promotion',
    verdict: 'fail',
    when: 'when a promotion is looked up',
    means: 'No promotion with this id was asked for at this control plane.',
    fix: 'Take the id that POST /v1/promotions gave.',
  },
})
