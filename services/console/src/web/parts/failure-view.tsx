import type { JSX } from "preact";
import { adviceOf, type Failure } from "../api/failure.js";

/** What went wrong, in the server's words, and what to do about it. */
export function FailureView({ failure, what }: { readonly failure: Failure; readonly what?: string }): JSX.Element {
  return (
    <div class="failure" role="alert">
      <p class="failure-what">{what ?? (failure.reason || "Something went wrong")}</p>
      <p>{failure.message}</p>
      {failure.causes.length > 0 && (
        <ul>
          {failure.causes.map(({ field, message }) => (
            <li key={field + message}>
              <code>{field}</code> {message}
            </li>
          ))}
        </ul>
      )}
      <p class="advice">{adviceOf(failure)}</p>
    </div>
  );
}
