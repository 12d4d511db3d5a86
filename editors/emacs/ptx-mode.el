;;; ptx-mode.el --- PTX with eglot  -*- lexical-binding: t -*-

;; Author: The ptx-atomics authors
;; URL: https://github.com/OWNER/ptx-atomics
;; Keywords: languages, tools
;; Version: 0.1.0
;; SPDX-License-Identifier: MIT OR Apache-2.0
;; Package-Requires: ((emacs "29.1"))

;;; Commentary:

;; A mode for PTX, the virtual assembly of NVIDIA's GPUs, and `ptx-atomics lsp' as its server:
;;
;;   (load "/path/to/ptx-atomics/editors/emacs/ptx-mode.el")
;;
;; In C++ and Python, eglot starts it for files that certainly have PTX in their strings, unless it starts another server for their mode;
;; (setq ptx-in-strings nil) turns that off.
;;
;; Files that end in .ptx and have no .version or .target (PreTeXt, laser scans) are ignored.

;;; Code:

(require 'eglot)

(defgroup ptx nil
  "PTX and the server ptx-atomics."
  :group 'languages)

(defcustom ptx-server-command '("ptx-atomics" "lsp")
  "The command that starts the server."
  :type '(repeat string))

(defcustom ptx-settings nil
  "Settings of the server, such as (:target \"sm_90\" :disable [\"narrow-address\"])."
  :type 'plist)

(defcustom ptx-in-strings t
  "Whether PTX in strings of C++ and Python is checked."
  :type 'boolean)

(defvar ptx-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?% "_" table)
    (modify-syntax-entry ?$ "_" table)
    table)
  "Comments as in C; registers are symbols.")

(defvar ptx-font-lock-keywords
  '(("\\(?:^\\|[;{}:]\\)\\s-*\\(?:@!?[%$_[:alnum:]]+\\s-+\\)?\\([a-z][a-z0-9_]*\\)\\(\\(?:[.:]+[[:alnum:]_]+\\)*\\)"
     (1 font-lock-keyword-face) (2 font-lock-builtin-face))
    ("^\\s-*\\([%$_[:alpha:]][[:alnum:]_$]*\\):" 1 font-lock-constant-face)
    ("\\.\\(?:entry\\|func\\)\\s-+\\([%$_[:alnum:]]+\\)" 1 font-lock-function-name-face)
    ("\\.[a-z][a-z0-9_]*" . font-lock-type-face)
    ("%[[:alnum:]_$]+" . font-lock-variable-name-face))
  "Colours; no mnemonic is named, for what begins a statement is an opcode.")

;;;###autoload
(define-derived-mode ptx-mode prog-mode "PTX"
  "PTX with diagnostics, completion, documentation and evaluation by ptx-atomics."
  (setq-local comment-start "// "
              comment-end ""
              indent-tabs-mode nil
              font-lock-defaults '(ptx-font-lock-keywords)))

;; Loaded with `magic-mode-alist': it is called before the mode is.
;;;###autoload
(defun ptx-content-p ()
  "Whether the buffer holds PTX."
  (save-excursion
    (goto-char (point-min))
    (re-search-forward "^\\s-*\\.\\(?:version\\|target\\)\\s-" (min (point-max) 65536) t)))

;; Tried before the extensions: the text decides whether a file is PTX, not its name.
;;;###autoload
(add-to-list 'magic-mode-alist
             (cons (lambda () (and buffer-file-name (string-suffix-p ".ptx" buffer-file-name t) (ptx-content-p)))
                   'ptx-mode))

(defun ptx--contact (&rest _)
  "How eglot starts the server, and what it tells it first."
  (append ptx-server-command (and ptx-settings (list :initializationOptions ptx-settings))))

(add-to-list 'eglot-server-programs '(ptx-mode . ptx--contact))

(add-hook 'ptx-mode-hook #'eglot-ensure)

;; One buffer has one server in eglot: that of the mode is left in place.
(defun ptx--in-strings ()
  "Start the server if the buffer is C++ or Python with PTX in its strings."
  (when (and ptx-in-strings
             (derived-mode-p 'c++-mode 'c++-ts-mode 'python-base-mode)
             (not (memq 'eglot-ensure (append prog-mode-hook (symbol-value (intern (format "%s-hook" major-mode))))))
             (ptx-in-strings-p))
    (setq-local eglot-server-programs
                (list (cons (list major-mode :language-id (if (derived-mode-p 'python-base-mode) "python" "cuda-cpp"))
                            #'ptx--contact)))
    (eglot-ensure)))

(defun ptx-in-strings-p ()
  "Whether inline assembly of the buffer has an opcode of PTX."
  (save-excursion
    (goto-char (point-min))
    (let ((found nil))
      (while (and (not found)
                  (re-search-forward "\\_<\\(?:asm\\|__asm__\\|__asm\\|inline_asm_elementwise\\|inline_asm\\|inline_ptx\\|InlineAsm\\)\\_>" nil t))
        (setq found
              (save-excursion
                (re-search-forward
                 "\\_<\\(?:atom\\|red\\|multimem\\|fence\\|membar\\|mbarrier\\|ld\\|st\\|cp\\|cvt\\|mov\\|bar\\|barrier\\|wgmma\\|w?mma\\|setp\\)\\.[a-z]"
                 (min (point-max) (+ (point) 500)) t))))
      found)))

(add-hook 'find-file-hook #'ptx--in-strings)

(provide 'ptx-mode)
;;; ptx-mode.el ends here
