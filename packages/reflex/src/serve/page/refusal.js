/** @import { Refusal } from './answer-form.js' */
/** @import { Fault, JsonObject, Question } from './documents.ts' */

/**
 * Returns the fault in a document of the server.
 * @param {JsonObject} body
 * @returns {Fault}
 */
export function faultOf(body) {
  return /** @type {Fault} */ (/** @type {unknown} */ (body['error']))
}

/**
 * Returns the message of a fault, and what solves it.
 * @param {Fault} fault
 */
export function faultText({ message, fix }) {
  return fix === undefined ? `${message}.` : `${message}. Fix: ${fix}`
}

/**
 * Returns why an answer that the question does not allow was not taken.
 * @param {Question} question
 * @param {Fault} fault
 * @returns {Refusal}
 */
export function refusalOf({ options = [] }, fault) {
  const { code, data } = fault
  const choices = options.map(({ label, value }) => label ?? value).join(', ')
  const message = code === 'R4200' && choices !== '' ? `This is not one of the choices: ${choices}.` : faultText(fault)
  return { message, ...(data?.problems === undefined ? {} : { problems: data.problems }) }
}

/** The run has ended, the question is closed, and the run or the question is not there any more. */
const TOO_LATE = ['R2001', 'R2002', 'R2016', 'R2020']

/**
 * True if no answer to the question can be used any more.
 * @param {Fault} fault
 */
export function isTooLate({ code }) {
  return TOO_LATE.includes(code)
}

/**
 * Returns why an answer came too late.
 * @param {Fault} fault
 */
export function lostText({ code, message }) {
  // "otter has no open question q1; ana was first, with yes; record 7 closed it": the first part is known.
  const who = message.split('; ').slice(1).join('; ')
  if (code !== 'R2002' || who === '') return `Your answer was not used: ${message}.`
  return `Your answer was not used. The question was already closed: ${who}.`
}
